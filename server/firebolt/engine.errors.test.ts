import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Condition } from "@/machines/conditions";
import { crdOf } from "@/machines/crd";
import { firebolt } from "@/machines/firebolt/family";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { errorOfStatus, isNotFound } from "@/server/kubernetes/errors";
import { type Api, apiVersionOf, type KubernetesObject } from "@/server/kubernetes/object";
import { createAppliedMemory } from "@/server/reconcile/applied-memory";
import { applyPlan } from "@/server/reconcile/apply";
import { createLiveWorld } from "@/server/reconcile/live-world";
import { pass, type PassDeps } from "@/server/reconcile/pass";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";
import { until } from "@/server/testing/until";
import { engineConfigMap } from "./engine-objects";
import { engineSettings } from "./engine-settings";
import { createFireboltReconcilers } from "./reconcilers";

const { engine: engineKind, instance } = firebolt.kinds;
const known: Api[] = [...Object.values(apis), ...Object.values(firebolt.kinds).map(({ api }) => api)];
const finalizer = "compute.firebolt.io/engine-cleanup";
let sandbox: Sandbox;
let client: KubernetesClient;
let namespace: string;
let serial = 0;

beforeAll(async () => {
  // Nobody plays the pods: an engine stays in creating, with all the objects of its generation.
  sandbox = await createSandbox({ controllers: false });
  client = createClient({ connection: sandbox.connection(), clock: systemClock });
  for (const kind of Object.values(firebolt.kinds)) {
    await client.create(apis.customResourceDefinition, crdOf(kind));
    await until(`${kind.api.plural} are served`, () => client.list(kind.api).then(Boolean, () => false));
  }
});
afterAll(async () => {
  await client.close();
  await sandbox.stop();
});

beforeEach(async () => {
  namespace = `errors-${(serial += 1)}`;
  await client.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await create(instance.api, "main", { id: "01J0000000000000000000TEST", metadata: {}, gateway: {} });
  const status = { phase: "Ready", metadataReady: true, metadataEndpoint: "main-metadata:7000" };
  await client.patch(instance.api, { namespace, name: "main" }, { status }, { type: "merge", subresource: "status" });
  await create(engineKind.api, "analytics", { instanceRef: "main", replicas: 1 });
});

function create(api: Api, name: string, spec: Record<string, unknown>) {
  return client.create(api, { apiVersion: apiVersionOf(api), kind: api.kind, metadata: { name, namespace }, spec });
}

const engine = () => client.get(engineKind.api, { namespace, name: "analytics" });
const scale = (replicas: number) =>
  client.patch(engineKind.api, { namespace, name: "analytics" }, { spec: { replicas } }, { type: "merge" });

/** A client whose requests are told, as "METHOD kind", before they leave; what is thrown then is their answer. */
function told(before: (what: string) => unknown): KubernetesClient {
  return {
    ...client,
    list: async (api, options) => (await before(`LIST ${api.kind}`), client.list(api, options)),
    patch: async (api, key, body, options) => {
      await before(options.subresource ? `${options.subresource} ${api.kind}` : `PATCH ${api.kind}`);
      return client.patch(api, key, body, options);
    },
    delete: async (api, key, options) => (await before(`DELETE ${api.kind}`), client.delete(api, key, options)),
  };
}

/** One whole pass: read, compute, apply, and what the queue is told. */
async function passOver(object: KubernetesObject, before: (what: string) => unknown = () => undefined) {
  const over = told(before);
  const deps: PassDeps = {
    reconciler: createFireboltReconcilers()["firebolt.engine"],
    api: engineKind.api,
    clock: systemClock,
    worldAt: () => createLiveWorld({ client: over, clock: systemClock }),
    apply: applyPlan,
    applyDeps: {
      client: over,
      check: () => undefined,
      clock: systemClock,
      apiOf: (_, kind) => known.find((api) => api.kind === kind) ?? engineKind.api,
      cacheOf: () => undefined,
      applied: createAppliedMemory(),
      onWrote: () => undefined,
      onDeleted: () => undefined,
      emit: () => undefined,
    },
    token: () => 0,
  };
  const { verdict } = await pass(deps, { id: "1", key: { namespace, name: "analytics" }, object });
  return verdict;
}

async function inCreating() {
  for (let turn = 0; turn < 3; turn++) await passOver(await engine());
  expect((await engine()).status).toMatchObject({ phase: "creating", currentGeneration: 0 });
}

const fails = (pattern: RegExp) => (what: string) => {
  if (pattern.test(what)) throw new Error(`${what}: no answer`);
};

test("a status that cannot be written fails the pass, which is tried again on fresh state", async () => {
  await inCreating();
  await scale(2);
  const before = (await engine()).status;
  expect(await passOver(await engine(), fails(/^status/))).toMatchObject({
    type: "transient",
    message: "status FireboltEngine: no answer",
  });
  expect((await engine()).status).toEqual(before);
  expect(await passOver(await engine())).toMatchObject({ type: "settled" });
  expect((await engine()).status).toMatchObject({ currentGeneration: 1 });
});

test("a status that lost the race to a change of the spec is written after one look, and a second loss fails the pass", async () => {
  await inCreating();
  const raced = (times: number) => {
    let left = times;
    return async (what: string) => {
      if (what.startsWith("status") && left-- > 0) await scale(3 + left);
    };
  };
  await scale(2);
  expect(await passOver(await engine(), raced(1))).toMatchObject({ type: "settled" });
  expect(await engine()).toMatchObject({ spec: { replicas: 3 }, status: { currentGeneration: 1 } });
  await passOver(await engine());
  await scale(2);
  expect(await passOver(await engine(), raced(2))).toMatchObject({ type: "conflict" });
  expect((await engine()).status).toMatchObject({ currentGeneration: 1 });
});

test("a clean-up tries every delete, tells all that failed, and keeps the finalizer until none does", async () => {
  await inCreating();
  await client.delete(engineKind.api, { namespace, name: "analytics" });
  expect(await passOver(await engine(), fails(/^DELETE (StatefulSet|ConfigMap)/))).toMatchObject({
    type: "transient",
    message: "DELETE StatefulSet: no answer; DELETE ConfigMap: no answer",
  });
  const left = await Promise.all(
    [apis.statefulSet, apis.service, apis.configMap].map(async (api) => (await client.list(api, { namespace })).items),
  );
  expect(left.flat().map(({ metadata }) => metadata.name)).toEqual(["analytics-g0", "analytics-g0-config"]);
  expect((await engine()).metadata.finalizers).toEqual([finalizer]);
  await passOver(await engine());
  await expect(engine()).rejects.toSatisfy(isNotFound);
});

test("a clean-up that cannot list a kind tells so, deletes the others, and keeps the finalizer", async () => {
  await inCreating();
  await client.delete(engineKind.api, { namespace, name: "analytics" });
  expect(await passOver(await engine(), fails(/^LIST Service/))).toMatchObject({
    type: "transient",
    message: "services cannot be listed: LIST Service: no answer",
  });
  expect((await client.list(apis.statefulSet, { namespace })).items).toEqual([]);
  expect((await engine()).metadata.finalizers).toEqual([finalizer]);
});

test("pods that cannot be looked at fail the pass: they are not taken for pods that are not ready", async () => {
  await inCreating();
  const before = (await engine()).metadata.resourceVersion;
  expect(await passOver(await engine(), fails(/^LIST Pod$/))).toMatchObject({
    type: "transient",
    message: "LIST Pod: no answer",
  });
  expect((await engine()).metadata.resourceVersion).toBe(before);
});

describe("a StatefulSet that the API server does not take", () => {
  const answers = (code: number, status: { reason?: string; message: string }) => (what: string) => {
    if (what === "PATCH StatefulSet") throw errorOfStatus(code, status);
  };
  const unknownField = "failed to create typed patch object: .spec.template.spec.typo: field not declared in schema";
  const ready = async () =>
    ((await engine()).status?.conditions as Condition[]).find(({ type }) => type === "Ready") ?? null;

  beforeEach(async () => {
    await passOver(await engine());
  });

  // prettier-ignore
  test.each([
    ["for good, is told and not tried again",                        422, { reason: "Invalid", message: "no" },        { type: "permanent", reason: "Invalid" }],
    ["because no pod has such a field, is told and not tried again", 500, { message: unknownField },                   { type: "permanent", reason: "Invalid" }],
    ["until somebody allows it, is told and tried again",            403, { reason: "Forbidden", message: "not you" }, { type: "transient", reason: "Forbidden" }],
  ] as const)("%s", async (_, code, status, { type, reason }) => {
    expect(await passOver(await engine(), answers(code, status))).toMatchObject({ type });
    expect(await ready()).toMatchObject({ status: "False", reason, message: status.message });
    await passOver(await engine());
    await passOver(await engine());
    expect(await ready()).toMatchObject({ reason: "Rolling" });
  });

  test("because it has trouble of its own, is tried again, and nothing is said of the engine", async () => {
    const before = await ready();
    expect(await passOver(await engine(), answers(500, { reason: "InternalError", message: "etcd" }))).toMatchObject({
      type: "transient",
    });
    expect(await ready()).toEqual(before);
  });
});

test("a config that cannot be written as JSON is a bug of ours, and ends the pass at once", async () => {
  const { schema } = engineKind;
  const bare = schema.parse(await engine());
  const settings = { ...engineSettings(bare, null), customConfig: { size: 1n } };
  expect(() => engineConfigMap(bare, settings, 0, { id: "01J", metadataEndpoint: "m:7000" })).toThrow(TypeError);
});
