import { expect } from "vitest";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { topic } from "@/server/sandbox/contract/contract-case";
import { configMap, configMapsIn, created, deployment, deploymentsIn } from "@/server/sandbox/contract/samples";
import { type Reply, type Target } from "@/server/sandbox/contract/target";

type Entry = {
  manager: string;
  operation: string;
  apiVersion: string;
  fieldsType: string;
  fieldsV1: Record<string, unknown>;
};

export const applyingContract = topic("server-side apply", (promises) => {
  promises("an apply creates what is not there, owned by its manager", async (target) => {
    const ns = await target.bareNamespace();
    const { status, object } = await apply(target, `${configMapsIn(ns)}/a`, configMap("a", { x: "1" }), {
      manager: "alice",
    });
    expect(status).toBe(201);
    expect(entriesOf(object)).toEqual([
      {
        manager: "alice",
        operation: "Apply",
        apiVersion: "v1",
        time: expect.any(String),
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:x": {} } },
      },
    ]);
  });

  promises("an apply that repeats itself changes nothing", async (target) => {
    const ns = await target.bareNamespace();
    const first = await apply(target, `${configMapsIn(ns)}/a`, configMap("a", { x: "1" }), { manager: "alice" });
    const second = await apply(target, `${configMapsIn(ns)}/a`, configMap("a", { x: "1" }), { manager: "alice" });
    expect(second.status).toBe(200);
    expect(second.object.metadata.resourceVersion).toBe(first.object.metadata.resourceVersion);
  });

  promises("an apply with a field that no schema has is refused as a whole", async (target) => {
    const ns = await target.bareNamespace();
    const strange = deployment("a");
    const refused = await apply(
      target,
      `${deploymentsIn(ns)}/a`,
      { ...strange, spec: { ...strange.spec, typo: 1 } },
      {
        manager: "alice",
      },
    );
    expect(refused).toMatchObject({ status: 500, object: { kind: "Status", code: 500 } });
    expect(refused.object["reason"]).toBeUndefined();
    expect(refused.object["message"]).toMatch(
      /^failed to create typed patch object.*: \.spec\.typo: field not declared in schema$/,
    );
    expect((await target.send("GET", `${deploymentsIn(ns)}/a`)).status).toBe(404);
  });

  promises("a field that the manager no longer applies goes", async (target) => {
    const ns = await target.bareNamespace();
    await apply(target, `${configMapsIn(ns)}/a`, configMap("a", { x: "1", y: "1" }), { manager: "alice" });
    const { object } = await apply(target, `${configMapsIn(ns)}/a`, configMap("a", { x: "1" }), { manager: "alice" });
    expect(object["data"]).toEqual({ x: "1" });
  });

  promises("a field that another manager applies too stays when one lets go of it", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${configMapsIn(ns)}/a`;
    await apply(target, path, configMap("a", { x: "1", y: "1" }), { manager: "alice" });
    expect((await apply(target, path, configMap("a", { y: "1" }), { manager: "bob" })).status).toBe(200);
    const { object } = await apply(target, path, configMap("a", { x: "1" }), { manager: "alice" });
    expect(object["data"]).toEqual({ x: "1", y: "1" });
    const after = await apply(target, path, configMap("a", {}), { manager: "bob" });
    expect(after.object["data"]).toEqual({ x: "1" });
  });

  promises("a conflict names the manager and the field", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${configMapsIn(ns)}/a`;
    await apply(target, path, configMap("a", { x: "1" }), { manager: "alice" });
    const { status, object } = await apply(target, path, configMap("a", { x: "2" }), { manager: "bob" });
    expect(status).toBe(409);
    expect(object).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'Apply failed with 1 conflict: conflict with "alice": .data.x',
      reason: "Conflict",
      details: { causes: [{ reason: "FieldManagerConflict", message: 'conflict with "alice"', field: ".data.x" }] },
      code: 409,
    });
  });

  promises("several conflicts are all named", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${configMapsIn(ns)}/a`;
    await apply(target, path, configMap("a", { x: "1", y: "1" }), { manager: "alice" });
    const { message } = await apply(target, path, configMap("a", { x: "2", y: "2" }), { manager: "bob" });
    expect(message).toBe('Apply failed with 2 conflicts: conflicts with "alice":\n- .data.x\n- .data.y');
  });

  promises("force takes the field over", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${configMapsIn(ns)}/a`;
    await apply(target, path, configMap("a", { x: "1", y: "1" }), { manager: "alice" });
    const { status, object } = await apply(target, path, configMap("a", { x: "2" }), { manager: "bob", force: true });
    expect(status).toBe(200);
    expect(object["data"]).toEqual({ x: "2", y: "1" });
    expect(fieldsOf(object, "alice")).toEqual({ "f:data": { "f:y": {} } });
    expect(fieldsOf(object, "bob")).toEqual({ "f:data": { "f:x": {} } });
  });

  promises("an update takes over what it changes, and an apply then conflicts with it", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${configMapsIn(ns)}/a`;
    await apply(target, path, configMap("a", { x: "1" }), { manager: "alice" });
    const patched = await target.send("PATCH", `${path}?fieldManager=carol`, { body: { data: { x: "9" } } });
    expect(fieldsOf(patched.object, "carol")).toEqual({ "f:data": { "f:x": {} } });
    const { status, message } = await apply(target, path, configMap("a", { x: "1" }), { manager: "alice" });
    expect(status).toBe(409);
    expect(message).toMatch(/^Apply failed with 1 conflict: conflict with "carol" using v1( at .*)?: \.data\.x$/);
  });

  promises("containers are merged by name, each manager keeps its own", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${deploymentsIn(ns)}/d`;
    expect((await apply(target, path, deployment("d"), { manager: "alice" })).status).toBe(201);
    const side = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { template: { spec: { containers: [{ name: "side", image: "side:1" }] } } },
    };
    const { status, object } = await apply(target, path, side, { manager: "bob" });
    expect(status).toBe(200);
    expect(containersOf(object)).toEqual(["main", "side"]);
    const without = { ...side, spec: { template: { spec: {} } } };
    const after = await apply(target, path, without, { manager: "bob" });
    expect(containersOf(after.object)).toEqual(["main"]);
  });

  promises("ownership of list items is told by their keys", async (target) => {
    const ns = await target.bareNamespace();
    const { object } = await apply(target, `${deploymentsIn(ns)}/d`, deployment("d"), { manager: "alice" });
    const spec = fieldsOf(object, "alice")?.["f:spec"] as { "f:template": { "f:spec": { "f:containers": unknown } } };
    expect(spec["f:template"]["f:spec"]["f:containers"]).toEqual({
      'k:{"name":"main"}': { ".": {}, "f:image": {}, "f:name": {} },
    });
  });

  promises("an apply needs a manager", async (target) => {
    const ns = await target.bareNamespace();
    const { status, message } = await target.send("PATCH", `${configMapsIn(ns)}/a`, {
      body: configMap("a"),
      contentType: "application/apply-patch+yaml",
    });
    expect(status).toBe(422);
    expect(message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  });

  promises("an apply with managedFields is refused", async (target) => {
    const ns = await target.bareNamespace();
    const body = configMap(
      "a",
      {},
      { managedFields: [{ manager: "x", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} }] },
    );
    expect(await apply(target, `${configMapsIn(ns)}/a`, body, { manager: "alice" })).toMatchObject({
      status: 400,
      message: "metadata.managedFields must be nil",
    });
  });

  promises("an apply may be YAML", async (target) => {
    const ns = await target.bareNamespace();
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n';
    const { status, object } = await target.send("PATCH", `${configMapsIn(ns)}/a?fieldManager=alice`, {
      text,
      contentType: "application/apply-patch+yaml",
    });
    expect(status).toBe(201);
    expect(object["data"]).toEqual({ x: "1" });
  });

  promises("a dry apply tells what would be and stores nothing", async (target) => {
    const ns = await target.bareNamespace();
    await apply(target, `${configMapsIn(ns)}/a`, configMap("a", { x: "1" }), { manager: "alice" });
    const path = `${configMapsIn(ns)}/a?fieldManager=alice&dryRun=All`;
    const { object } = await target.send("PATCH", path, {
      body: configMap("a", { x: "2" }),
      contentType: "application/apply-patch+yaml",
    });
    expect(object["data"]).toEqual({ x: "2" });
    expect((await target.send("GET", `${configMapsIn(ns)}/a`)).object["data"]).toEqual({ x: "1" });
  });

  promises("a create and an update are tracked under their manager", async (target) => {
    const ns = await target.bareNamespace();
    const { object } = await target.send("POST", `${configMapsIn(ns)}?fieldManager=maker`, {
      body: configMap("a", { x: "1" }, { labels: { l: "1" } }),
    });
    expect(entriesOf(object)).toMatchObject([
      {
        manager: "maker",
        operation: "Update",
        fieldsV1: { "f:data": { ".": {}, "f:x": {} }, "f:metadata": { "f:labels": { ".": {}, "f:l": {} } } },
      },
    ]);
    const patched = await target.send("PATCH", `${configMapsIn(ns)}/a?fieldManager=changer`, {
      body: { data: { y: "2" } },
    });
    expect(fieldsOf(patched.object, "maker")).toMatchObject({ "f:data": { "f:x": {} } });
    expect(fieldsOf(patched.object, "changer")).toEqual({ "f:data": { "f:y": {} } });
  });

  promises("a field that is removed has no owner any more", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, `${configMapsIn(ns)}?fieldManager=maker`, configMap("a", { x: "1", y: "1" }));
    const { object } = await target.send("PATCH", `${configMapsIn(ns)}/a?fieldManager=changer`, {
      body: { data: { y: null } },
    });
    expect(fieldsOf(object, "maker")).toEqual({ "f:data": { ".": {}, "f:x": {} } });
  });

  promises("what is applied to the status leaves the rest alone", async (target) => {
    const ns = await target.bareNamespace();
    const path = `/apis/batch/v1/namespaces/${ns}/jobs/j`;
    const spec = {
      parallelism: 0,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "localhost/busybox:1" }] } },
    };
    await created(target, `/apis/batch/v1/namespaces/${ns}/jobs`, {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "j" },
      spec,
    });
    const body = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "j" }, status: { failed: 2 } };
    const { status, object } = await apply(target, `${path}/status`, body, { manager: "alice", force: true });
    expect(status).toBe(200);
    expect(object).toMatchObject({ spec: { parallelism: 0 }, status: { failed: 2 } });
  });

  promises("owners and finalizers are merged, not replaced", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${configMapsIn(ns)}/a`;
    await apply(target, path, configMap("a", {}, { finalizers: ["example.com/a"] }), { manager: "alice" });
    const { object } = await apply(target, path, configMap("a", {}, { finalizers: ["example.com/b"] }), {
      manager: "bob",
    });
    expect([...(object.metadata.finalizers ?? [])].sort()).toEqual(["example.com/a", "example.com/b"]);
    await target.send("PATCH", path, { body: { metadata: { finalizers: null } } });
  });
});

async function apply(
  { send }: Target,
  path: string,
  body: unknown,
  { manager, force = false }: { manager: string; force?: boolean },
): Promise<Reply> {
  return send("PATCH", `${path}?fieldManager=${manager}${force ? "&force=true" : ""}`, {
    body,
    contentType: "application/apply-patch+yaml",
  });
}

function entriesOf({ metadata }: KubernetesObject): Entry[] {
  return metadata.managedFields as Entry[];
}

function fieldsOf(object: KubernetesObject, manager: string): Record<string, unknown> | undefined {
  return entriesOf(object).find((entry) => entry.manager === manager)?.fieldsV1;
}

function containersOf({ spec }: KubernetesObject): string[] {
  const { template } = spec as { template: { spec: { containers: { name: string }[] } } };
  return template.spec.containers.map(({ name }) => name).sort();
}
