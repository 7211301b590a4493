import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { configMap, configMapsIn, created, deployment, deploymentsIn } from "@/server/sandbox/contract/samples";
import { unique } from "@/server/sandbox/contract/target";

export const objectsContract = topic("objects", (promises) => {
  promises("a created object has a uid, a version, a time, and what was sent", async (target) => {
    const ns = await target.bareNamespace();
    const object = await created(target, configMapsIn(ns), configMap("a", { key: "value" }));
    expect(object).toMatchObject({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "a",
        namespace: ns,
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        resourceVersion: expect.stringMatching(/^\d+$/),
        creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
      data: { key: "value" },
    });
    const { generation } = object.metadata;
    expect(generation).toBeUndefined();
    expect((await target.send("GET", `${configMapsIn(ns)}/a`)).object).toEqual(object);
  });

  promises("zeros that mean nothing are left out, and one that means something stays", async (target) => {
    const ns = await target.bareNamespace();
    const sent = deployment("a", { replicas: 0 });
    const { spec } = await created(target, deploymentsIn(ns), {
      ...sent,
      spec: {
        ...sent.spec,
        minReadySeconds: 0,
        paused: false,
        template: {
          metadata: { labels: { app: "a" } },
          spec: {
            hostNetwork: false,
            automountServiceAccountToken: false,
            containers: [
              { name: "main", image: "x", stdin: false, tty: false, ports: [{ containerPort: 80, hostPort: 0 }] },
            ],
          },
        },
      },
    });
    const text = JSON.stringify(spec);
    for (const name of ["minReadySeconds", "paused", "hostNetwork", "stdin", "tty", "hostPort"])
      expect(text).not.toContain(`"${name}"`);
    expect(spec).toMatchObject({ replicas: 0, template: { spec: { automountServiceAccountToken: false } } });
  });

  promises("a generated name begins with what was asked for", async (target) => {
    const ns = await target.bareNamespace();
    const { metadata } = await created(target, configMapsIn(ns), {
      ...configMap(""),
      metadata: { generateName: "gen-" },
    });
    expect(metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
    expect(metadata.generateName).toBe("gen-");
  });

  promises("a name that is taken is refused", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a"));
    const { status, object } = await target.send("POST", configMapsIn(ns), { body: configMap("a") });
    expect(status).toBe(409);
    expect(object).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'configmaps "a" already exists',
      reason: "AlreadyExists",
      details: { name: "a", kind: "configmaps" },
      code: 409,
    });
  });

  promises("a dry run answers as the real thing and stores nothing", async (target) => {
    const ns = await target.bareNamespace();
    const { status, object } = await target.send("POST", `${configMapsIn(ns)}?dryRun=All`, { body: configMap("a") });
    expect(status).toBe(201);
    expect(object.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect((await target.send("GET", `${configMapsIn(ns)}/a`)).status).toBe(404);
  });

  promises("what is not there is not found", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    const { status, object } = await send("GET", `${deploymentsIn(ns)}/nobody`);
    expect(status).toBe(404);
    expect(object).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'deployments.apps "nobody" not found',
      reason: "NotFound",
      details: { name: "nobody", group: "apps", kind: "deployments" },
      code: 404,
    });
  });

  promises("a resourceVersion on create is refused", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    const body = configMap("a", {}, { resourceVersion: "5" });
    expect(await send("POST", configMapsIn(ns), { body })).toMatchObject({
      status: expect.any(Number),
      message: expect.stringContaining("resourceVersion should not be set on objects to be created"),
    });
  });

  promises("a name that breaks the rules is invalid", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    const { status, object, message } = await send("POST", configMapsIn(ns), { body: configMap("Not_A_Name") });
    expect(status).toBe(422);
    expect(message).toContain('ConfigMap "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name"');
    expect(object).toMatchObject({
      reason: "Invalid",
      details: {
        name: "Not_A_Name",
        kind: "ConfigMap",
        causes: [{ reason: "FieldValueInvalid", field: "metadata.name" }],
      },
    });
  });

  promises("an object needs a name", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    const { status, message } = await send("POST", configMapsIn(ns), { body: configMap("") });
    expect(status).toBe(422);
    expect(message).toContain("name or generateName is required");
  });

  promises("a label that breaks the rules is invalid", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    const { status, object } = await send("POST", configMapsIn(ns), {
      body: configMap("a", {}, { labels: { ok: "not ok!" } }),
    });
    expect(status).toBe(422);
    expect(object).toMatchObject({ details: { causes: [{ field: "metadata.labels", reason: "FieldValueInvalid" }] } });
  });

  promises("an update with the version that was read succeeds, with an older one it is a conflict", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${configMapsIn(ns)}/a`;
    const first = await created(target, configMapsIn(ns), configMap("a", { n: "1" }));
    const second = await target.send("PUT", path, { body: { ...first, data: { n: "2" } } });
    expect(second).toMatchObject({ status: 200, object: { data: { n: "2" } } });
    const { status, object } = await target.send("PUT", path, { body: { ...first, data: { n: "3" } } });
    expect(status).toBe(409);
    expect(object).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      reason: "Conflict",
      details: { name: "a", kind: "configmaps" },
      code: 409,
    });
  });

  promises("an update without a version wins over whatever is there", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a", { n: "1" }));
    expect(await target.send("PUT", `${configMapsIn(ns)}/a`, { body: configMap("a", { n: "2" }) })).toMatchObject({
      status: 200,
      object: { data: { n: "2" } },
    });
  });

  promises("an update that changes nothing keeps the version", async (target) => {
    const ns = await target.bareNamespace();
    const before = await created(target, configMapsIn(ns), configMap("a", { n: "1" }));
    const { object } = await target.send("PUT", `${configMapsIn(ns)}/a`, { body: before });
    expect(object.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  promises("an update keeps uid and creation time, and refuses another uid", async (target) => {
    const ns = await target.bareNamespace();
    const before = await created(target, configMapsIn(ns), configMap("a"));
    const body = configMap("a", { n: "1" }, { creationTimestamp: "2001-01-01T00:00:00Z" });
    const { object } = await target.send("PUT", `${configMapsIn(ns)}/a`, { body });
    expect(object.metadata).toMatchObject({
      uid: before.metadata.uid,
      creationTimestamp: before.metadata.creationTimestamp,
    });
    const other = configMap("a", {}, { uid: "00000000-0000-0000-0000-000000000000" });
    expect((await target.send("PUT", `${configMapsIn(ns)}/a`, { body: other })).status).toBe(409);
  });

  promises("the name in the path and in the object must agree", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a"));
    const { status, message } = await target.send("PUT", `${configMapsIn(ns)}/a`, { body: configMap("b") });
    expect({ status, message }).toEqual({
      status: 400,
      message: "the name of the object (b) does not match the name on the URL (a)",
    });
  });

  promises("the namespace in the path and in the object must agree", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    const { status, message } = await send("POST", configMapsIn(ns), {
      body: configMap("a", {}, { namespace: "elsewhere" }),
    });
    expect(status).toBe(400);
    expect(message).toContain("the namespace of the provided object does not match the namespace sent on the request");
  });

  promises("an update of what is not there is not found", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    expect((await send("PUT", `${configMapsIn(ns)}/a`, { body: configMap("a") })).status).toBe(404);
  });

  promises("a lease may be created by an update", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    const body = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "l" },
      spec: { holderIdentity: "me" },
    };
    const path = `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases/l`;
    expect(await send("PUT", path, { body })).toMatchObject({
      status: 201,
      object: { spec: { holderIdentity: "me" } },
    });
  });

  promises("generation counts changes of the spec alone", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${deploymentsIn(ns)}/d`;
    const first = await created(target, deploymentsIn(ns), deployment("d"));
    expect(first.metadata.generation).toBe(1);
    const labelled = await target.send("PATCH", path, { body: { metadata: { labels: { more: "1" } } } });
    expect(labelled.object.metadata.generation).toBe(1);
    const changed = await target.send("PATCH", path, { body: { spec: { minReadySeconds: 5 } } });
    expect(changed.object.metadata.generation).toBe(2);
  });

  promises("the status is written through its own door, and through no other", async (target) => {
    const ns = await target.bareNamespace();
    const path = `/apis/batch/v1/namespaces/${ns}/jobs/j`;
    const job = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "j" },
      spec: {
        parallelism: 0,
        template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "localhost/busybox:1" }] } },
      },
      status: { failed: 7 },
    };
    const first = await created(target, `/apis/batch/v1/namespaces/${ns}/jobs`, job);
    expect(first.status?.["failed"]).toBeUndefined();
    const ignored = await target.send("PATCH", path, { body: { status: { failed: 7 } } });
    expect(ignored.object.status?.["failed"]).toBeUndefined();
    const written = await target.send("PATCH", `${path}/status`, {
      body: { status: { failed: 3 }, spec: { parallelism: 9 } },
    });
    expect(written).toMatchObject({ status: 200, object: { status: { failed: 3 }, spec: { parallelism: 0 } } });
  });

  promises("the scale of what is not there is not found by its own name", async ({ send, bareNamespace }) => {
    const { status, message } = await send("GET", `${deploymentsIn(await bareNamespace())}/d/scale`);
    expect({ status, message }).toEqual({ status: 404, message: 'deployments/scale.apps "d" not found' });
  });

  promises("a scale shows the replicas and the selector, and sets the replicas", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${deploymentsIn(ns)}/d`;
    await created(target, deploymentsIn(ns), deployment("d", { paused: true }));
    const { object } = await target.send("GET", `${path}/scale`);
    expect(object).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "d", namespace: ns },
      status: { replicas: 0, selector: "app=d" },
    });
    const patched = await target.send("PATCH", `${path}/scale`, { body: { spec: { replicas: 0 } } });
    expect(patched.status).toBe(200);
    const put = await target.send("PUT", `${path}/scale`, { body: { ...object, spec: { replicas: -1 } } });
    expect(put).toMatchObject({ status: 422, message: expect.stringContaining("must be greater than or equal to 0") });
  });
  promises("what a Secret gets as text it keeps as base64", async (target) => {
    const ns = await target.bareNamespace();
    const body = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s" },
      stringData: { word: "hello" },
      data: { word: "eA==", other: "eQ==" },
    };
    const object = await created(target, `/api/v1/namespaces/${ns}/secrets`, body);
    expect(object).toMatchObject({ type: "Opaque", data: { word: "aGVsbG8=", other: "eQ==" } });
    expect(object).not.toHaveProperty("stringData");
  });

  promises("a namespace that is not there takes nothing", async ({ send }) => {
    const ns = unique("nobody");
    const { status, object, message } = await send("POST", configMapsIn(ns), { body: configMap("a") });
    expect({ status, message }).toEqual({ status: 404, message: `namespaces "${ns}" not found` });
    expect(object).toMatchObject({ reason: "NotFound", details: { name: ns, kind: "namespaces" } });
  });
});
