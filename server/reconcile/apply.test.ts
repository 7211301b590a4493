import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { crdOf } from "@/machines/crd";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { errorOfStatus, isNotFound } from "@/server/kubernetes/errors";
import { type Api, type KubernetesObject } from "@/server/kubernetes/object";
import { createStore } from "@/server/kubernetes/store";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";
import { widget } from "@/server/testing/fixtures/widget";
import { until } from "@/server/testing/until";
import { createAppliedMemory } from "./applied-memory";
import { applyCommand, type ApplyDeps, applyPlan } from "./apply";
import { NotLeading } from "./not-leading";
import { type Effect, type Plan } from "./plan";
import { writesOf } from "./planned-write";

let sandbox: Sandbox;
let client: KubernetesClient;
let namespace: string;
let serial = 0;

beforeAll(async () => {
  sandbox = await createSandbox({ controllers: false });
  client = createClient({ connection: sandbox.connection(), clock: systemClock });
  await client.create(apis.customResourceDefinition, crdOf(widget));
  await until("widgets are served", () => client.list(widget.api).then(Boolean, () => false));
});

afterAll(async () => {
  await client.close();
  await sandbox.stop();
});

beforeEach(async () => {
  namespace = `apply-${++serial}`;
  await client.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
});

/** Requests in their order, as "METHOD kind name"; `before` runs ahead of each and may fail it. */
function recorded(before: (what: string) => unknown = () => undefined) {
  const requests: string[] = [];
  const note = async (what: string) => {
    requests.push(what);
    await before(what);
  };
  const spied: KubernetesClient = {
    ...client,
    get: async (api, key) => (await note(`GET ${api.kind} ${key.name}`), client.get(api, key)),
    patch: async (api, key, body, options) => {
      await note(`${options.type} ${api.kind} ${key.name}${options.subresource ? `/${options.subresource}` : ""}`);
      return client.patch(api, key, body, options);
    },
    delete: async (api, key, options) => (
      await note(`DELETE ${api.kind} ${key.name}`),
      client.delete(api, key, options)
    ),
  };
  return { spied, requests };
}

function depsOf(over: Partial<ApplyDeps> = {}): ApplyDeps & { emitted: string[]; written: string[] } {
  const known: Api[] = [...Object.values(apis), widget.api];
  const [emitted, written]: [string[], string[]] = [[], []];
  return {
    client,
    check: () => undefined,
    clock: systemClock,
    apiOf: (_, kind) => known.find((api) => api.kind === kind) ?? widget.api,
    cacheOf: () => undefined,
    applied: createAppliedMemory(),
    onWrote: (api, { metadata }) => written.push(`${api.kind} ${metadata.name}`),
    onDeleted: (api, { name }) => written.push(`-${api.kind} ${name}`),
    emit: (_, { reason }) => emitted.push(reason),
    emitted,
    written,
    ...over,
  };
}

function planOf(effects: Effect[], status: Plan["status"] = null): Plan {
  return { steps: {}, effects, status, requeueAfterMs: null };
}

function configMap(name: string, data: Record<string, string> = {}): KubernetesObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data };
}

function deletionOf({ kind, metadata }: KubernetesObject): Extract<Effect, { type: "delete" }> {
  return { type: "delete", target: { apiVersion: "v1", kind, namespace, name: metadata.name, uid: metadata.uid } };
}

function createWidget(metadata: Partial<KubernetesObject["metadata"]> = {}): Promise<KubernetesObject> {
  return client.create(widget.api, {
    apiVersion: "testing.orrery.dev/v1",
    kind: "Widget",
    metadata: { namespace, name: "w", ...metadata },
    spec: { text: "one", parts: 1 },
  });
}

const ready = { phase: "ready", generation: 1, text: "one" };
const get = (api: Api, name: string) =>
  client.get(api, { namespace, name }).catch((error: unknown) => {
    if (isNotFound(error)) return null;
    throw error;
  });

test("effects are carried out in their order and the status comes last", async () => {
  const object = await createWidget();
  const { spied, requests } = recorded();
  const deps = depsOf({ client: spied });
  const effects: Effect[] = [
    { type: "addFinalizer", finalizer: "t.orrery.dev/x" },
    { type: "ensure", object: configMap("a") },
    { type: "ensure", object: configMap("b") },
    { type: "emit", severity: "Normal", reason: "Built", message: "both" },
  ];
  const {
    failures,
    writes,
    object: after,
  } = await applyPlan(deps, { api: widget.api, object }, planOf(effects, ready));
  expect(failures).toEqual([]);
  expect(requests).toEqual(["merge Widget w", "apply ConfigMap a", "apply ConfigMap b", "merge Widget w/status"]);
  expect(writes.map(({ verb, outcome }) => `${verb} ${outcome}`)).toEqual([
    "finalizer done",
    "apply done",
    "apply done",
    "event done",
    "status done",
  ]);
  expect(deps.emitted).toEqual(["Built"]);
  expect(after).toMatchObject({ metadata: { finalizers: ["t.orrery.dev/x"] }, status: ready });
  expect(deps.written).toEqual(["Widget w", "ConfigMap a", "ConfigMap b", "Widget w"]);
});

test("what is so already is not written again", async () => {
  const object = await createWidget();
  const first = await applyPlan(
    depsOf(),
    { api: widget.api, object },
    planOf([{ type: "ensure", object: configMap("a", { k: "v" }) }], ready),
  );
  const store = createStore();
  store.replace([(await get(apis.configMap, "a")) ?? configMap("a")], "1");
  const { spied, requests } = recorded();
  const deps = depsOf({ client: spied, cacheOf: () => store });
  const again = await applyPlan(
    deps,
    { api: widget.api, object: first.object ?? object },
    planOf(
      [
        { type: "ensure", object: configMap("a", { k: "v" }) },
        { type: "delete", target: { apiVersion: "v1", kind: "ConfigMap", namespace, name: "never" } },
      ],
      { ...ready },
    ),
  );
  expect(requests).toEqual([]);
  expect(again.writes.map(({ outcome }) => outcome)).toEqual(["unchanged", "unchanged"]);
});

test("what is only to be kept is not made anew when it goes between the look and the write", async () => {
  const object = await createWidget();
  const seen = await client.create(apis.configMap, configMap("a", { k: "v" }));
  await client.delete(apis.configMap, { namespace, name: "a" });
  // The cache has heard of it; the plan is of before.
  const deps = depsOf({ cacheOf: () => createStore() });
  const kept: Effect = { type: "ensure", object: configMap("a", { k: "v" }), uid: seen.metadata.uid ?? "" };
  const { writes } = await applyPlan(deps, { api: widget.api, object }, planOf([kept]));
  expect(writes.map(({ outcome }) => outcome)).toEqual(["unchanged"]);
  expect(await get(apis.configMap, "a")).toBeNull();
});

test("a field that is no longer wanted is removed, and a stranger's field stays", async () => {
  const object = await createWidget();
  const ensure = (data: Record<string, string>) =>
    applyPlan(depsOf(), { api: widget.api, object }, planOf([{ type: "ensure", object: configMap("a", data) }]));
  await ensure({ ours: "1", more: "2" });
  await client.patch(
    apis.configMap,
    { namespace, name: "a" },
    { data: { theirs: "3" } },
    { type: "merge", fieldManager: "them" },
  );
  await ensure({ ours: "1" });
  expect(await get(apis.configMap, "a")).toMatchObject({ data: { ours: "1", theirs: "3" } });
  expect((await get(apis.configMap, "a"))?.data).not.toHaveProperty("more");
});

test("a status that lost the race to a change of the spec is written once more after a look", async () => {
  const object = await createWidget();
  await client.patch(widget.api, object.metadata, { spec: { text: "two" } }, { type: "merge" });
  const { spied, requests } = recorded();
  const { failures } = await applyPlan(depsOf({ client: spied }), { api: widget.api, object }, planOf([], ready));
  expect(failures).toEqual([]);
  expect(requests).toEqual(["merge Widget w/status", "GET Widget w", "merge Widget w/status"]);
  expect(await get(widget.api, "w")).toMatchObject({ spec: { text: "two" }, status: ready });
});

test("a status that somebody else has written meanwhile is not overwritten", async () => {
  const object = await createWidget();
  const theirs = { phase: "building", generation: 7, text: "theirs" };
  await client.patch(widget.api, object.metadata, { status: theirs }, { type: "merge", subresource: "status" });
  const { failures } = await applyPlan(depsOf(), { api: widget.api, object }, planOf([], ready));
  expect(failures).toMatchObject([{ kind: "conflict" }]);
  expect(await get(widget.api, "w")).toMatchObject({ status: theirs });
});

test("after a failed effect neither the next effect nor the status is written", async () => {
  const object = await createWidget();
  const { spied, requests } = recorded((what) => {
    if (what === "apply ConfigMap a") throw new Error("no answer");
  });
  const effects: Effect[] = [
    { type: "ensure", object: configMap("a") },
    { type: "ensure", object: configMap("b") },
    deletionOf(await client.create(apis.configMap, configMap("old"))),
  ];
  const { failures, writes } = await applyPlan(
    depsOf({ client: spied }),
    { api: widget.api, object },
    planOf(effects, ready),
  );
  expect(failures).toHaveLength(1);
  expect(requests).toEqual(["apply ConfigMap a"]);
  expect(writes.map(({ outcome }) => outcome)).toEqual(["failed: no answer"]);
  expect(await get(apis.configMap, "old")).not.toBeNull();
});

test("every clean-up is tried, and the finalizer stays while one of them fails", async () => {
  const object = await createWidget({ finalizers: ["t.orrery.dev/x"] });
  const olds = await Promise.all(["a", "b", "c"].map((name) => client.create(apis.configMap, configMap(name))));
  await client.delete(widget.api, object.metadata);
  const leaving = await client.get(widget.api, object.metadata);
  const plan = planOf([...olds.map(deletionOf), { type: "removeFinalizer", finalizer: "t.orrery.dev/x" }]);
  const faulty = recorded((what) => {
    if (/DELETE ConfigMap [ab]/.test(what)) throw new Error(`${what}: no answer`);
  });
  const first = await applyPlan(depsOf({ client: faulty.spied }), { api: widget.api, object: leaving }, plan);
  expect(first.failures).toHaveLength(2);
  expect(await get(apis.configMap, "c")).toBeNull();
  expect(await get(widget.api, "w")).toMatchObject({ metadata: { finalizers: ["t.orrery.dev/x"] } });

  const second = await applyPlan(depsOf(), { api: widget.api, object: leaving }, plan);
  expect(second).toMatchObject({ failures: [], object: null });
  expect(await get(widget.api, "w")).toBeNull();
});

test("a delete that only the new status makes safe comes after it, before the finalizer goes, and not at all without it", async () => {
  const object = await createWidget({ finalizers: ["t.orrery.dev/x"] });
  const old = await client.create(apis.configMap, configMap("old"));
  const effects: Effect[] = [
    { type: "removeFinalizer", finalizer: "t.orrery.dev/x" },
    { ...deletionOf(old), afterStatus: true },
    { type: "ensure", object: configMap("a") },
  ];
  const plan = planOf(effects, ready);
  const faulty = recorded((what) => {
    if (what.endsWith("/status")) throw new Error("no answer");
  });
  const lost = await applyPlan(depsOf({ client: faulty.spied }), { api: widget.api, object }, plan);
  expect(lost.writes.map(({ verb }) => verb)).toEqual(["apply", "status"]);
  expect(await get(apis.configMap, "old")).not.toBeNull();

  const { writes, failures } = await applyPlan(depsOf(), { api: widget.api, object }, plan);
  expect(failures).toEqual([]);
  expect(writes.map(({ verb }) => verb)).toEqual(["apply", "status", "delete", "finalizer"]);
  expect(writesOf(plan, object).map(({ verb }) => verb)).toEqual(["apply", "status", "delete", "finalizer"]);
  expect(await get(apis.configMap, "old")).toBeNull();
});

test("a finalizer of somebody else stays", async () => {
  const object = await createWidget({ finalizers: ["theirs.example.com/x", "t.orrery.dev/x"] });
  const { object: after } = await applyPlan(
    depsOf(),
    { api: widget.api, object },
    planOf([{ type: "removeFinalizer", finalizer: "t.orrery.dev/x" }]),
  );
  expect(after).toMatchObject({ metadata: { finalizers: ["theirs.example.com/x"] } });
});

test("a namesake that came later is never deleted", async () => {
  const object = await createWidget();
  const old = await client.create(apis.configMap, configMap("a"));
  await client.delete(apis.configMap, { namespace, name: "a" });
  await client.create(apis.configMap, configMap("a", { of: "another" }));
  const { failures, writes } = await applyPlan(depsOf(), { api: widget.api, object }, planOf([deletionOf(old)]));
  expect(failures).toEqual([]);
  expect(writes).toMatchObject([{ verb: "delete", outcome: "unchanged" }]);
  expect(await get(apis.configMap, "a")).toMatchObject({ data: { of: "another" } });
});

test("a delete that lost a race is no success, and the finalizer stays", async () => {
  const object = await createWidget({ finalizers: ["t.orrery.dev/x"] });
  const child = await client.create(apis.configMap, configMap("a"));
  const { spied } = recorded((what) => {
    if (what === "DELETE ConfigMap a") throw errorOfStatus(409, { reason: "Conflict", message: "try again" });
  });
  const effects: Effect[] = [deletionOf(child), { type: "removeFinalizer", finalizer: "t.orrery.dev/x" }];
  const { failures } = await applyPlan(depsOf({ client: spied }), { api: widget.api, object }, planOf(effects));
  expect(failures).toMatchObject([{ kind: "conflict" }]);
  expect(await get(widget.api, "w")).toMatchObject({ metadata: { finalizers: ["t.orrery.dev/x"] } });
});

test("nothing is deleted for a resource that has changed since it was read", async () => {
  const object = await createWidget();
  const old = await client.create(apis.configMap, configMap("a"));
  await client.patch(widget.api, object.metadata, { spec: { text: "two" } }, { type: "merge" });
  const deps = depsOf();
  const { failures } = await applyPlan(deps, { api: widget.api, object }, planOf([deletionOf(old)]));
  expect(failures).toMatchObject([{ kind: "conflict" }]);
  expect(await get(apis.configMap, "a")).not.toBeNull();
  // The newer version is waited for before the next pass.
  expect(deps.written).toEqual(["Widget w"]);
});

test("the server is asked once before the deletes of a pass, and not at all without any", async () => {
  const object = await createWidget();
  const olds = await Promise.all(["a", "b"].map((name) => client.create(apis.configMap, configMap(name))));
  const { spied, requests } = recorded();
  await applyPlan(depsOf({ client: spied }), { api: widget.api, object }, planOf(olds.map(deletionOf)));
  expect(requests).toEqual(["GET Widget w", "DELETE ConfigMap a", "DELETE ConfigMap b"]);
});

test("a resource that is gone is no failure", async () => {
  const object = await createWidget();
  await client.delete(widget.api, object.metadata);
  const plan = planOf([{ type: "removeFinalizer", finalizer: "none" }], ready);
  expect(await applyPlan(depsOf(), { api: widget.api, object }, plan)).toMatchObject({ failures: [], object: null });
});

test("a refused Secret is told without what it holds", async () => {
  const object = await createWidget();
  const { spied } = recorded(() => {
    throw errorOfStatus(422, {
      reason: "Invalid",
      message: 'data[k]: Invalid value: "hunter2"',
      details: { causes: [{ field: "data[k]" }] },
    });
  });
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "s" }, stringData: { k: "hunter2" } };
  const { failures, writes } = await applyPlan(
    depsOf({ client: spied }),
    { api: widget.api, object },
    planOf([{ type: "ensure", object: secret }]),
  );
  expect(failures.map(String)).toEqual([`KubernetesError: Secret ${namespace}/s was not written: Invalid (data[k])`]);
  expect(JSON.stringify(writes)).not.toContain("hunter2");
});

test("a managed process is called, and an answer that is not good is a failure; without the lease it is not called", async () => {
  const object = await createWidget();
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method ?? ""} ${request.url ?? ""}`);
    response.writeHead(request.url === "/pause" ? 202 : 500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const request = (path: string, over: Partial<ApplyDeps> = {}) => {
    const effect: Effect = {
      type: "request",
      method: "POST",
      url: `http://127.0.0.1:${port}${path}`,
      timeoutMs: 30_000,
    };
    return applyPlan(depsOf(over), { api: widget.api, object }, planOf([effect]));
  };
  const notLeading = () => {
    throw new NotLeading();
  };
  expect((await request("/pause")).failures).toEqual([]);
  expect((await request("/broken")).failures.map(String)).toEqual([
    `Error: POST http://127.0.0.1:${port}/broken answered 500`,
  ]);
  expect((await request("/pause", { check: notLeading })).failures).toEqual([expect.any(NotLeading)]);
  expect(calls).toEqual(["POST /pause", "POST /broken"]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test("without the lease nothing at all is written", async () => {
  const object = await createWidget({ finalizers: ["t.orrery.dev/x"] });
  const fenced = client.guarded(() => {
    throw new NotLeading();
  });
  const plan = planOf(
    [
      { type: "ensure", object: configMap("a") },
      { type: "removeFinalizer", finalizer: "t.orrery.dev/x" },
    ],
    ready,
  );
  const { failures } = await applyPlan(depsOf({ client: fenced }), { api: widget.api, object }, plan);
  expect(failures).toEqual([expect.any(NotLeading)]);
  expect(await get(apis.configMap, "a")).toBeNull();
  expect((await get(widget.api, "w"))?.status).toBeUndefined();
});

test("a command patches the spec, and is refused when its guards saw an older resource", async () => {
  const object = await createWidget();
  const plan = planOf([{ type: "patchSpec", patch: { spec: { parts: 3 } } }]);
  expect(await applyCommand({ client, kind: widget, object, plan })).toMatchObject({ spec: { parts: 3, text: "one" } });
  await expect(applyCommand({ client, kind: widget, object, plan })).rejects.toMatchObject({ kind: "conflict" });
});

test("a command may change nothing but spec and annotations", async () => {
  const object = await createWidget();
  const effects: Effect[] = [{ type: "patchSpec", patch: { metadata: { labels: { a: "b" } } } }];
  await expect(applyCommand({ client, kind: widget, object, plan: planOf(effects) })).rejects.toThrow("not labels");
  const other: Effect[] = [{ type: "ensure", object: configMap("a") }];
  await expect(applyCommand({ client, kind: widget, object, plan: planOf(other) })).rejects.toThrow("not ensure");
});
