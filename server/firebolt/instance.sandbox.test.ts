import { afterAll, beforeAll, expect, test } from "vitest";
import { findCondition } from "@/machines/conditions";
import { crdOf } from "@/machines/crd";
import { firebolt } from "@/machines/firebolt/family";
import { type Instance, instanceSchema } from "@/machines/firebolt/instance.schema";
import { apis } from "@/server/kubernetes/apis";
import { createFireboltFleet, type FireboltFleet } from "./fixtures/firebolt-fleet";
import { instanceApis } from "./instance.read";

const { engine: engineKind, instance } = firebolt.kinds;
const namespace = "shop";
let fleet: FireboltFleet;

beforeAll(async () => {
  fleet = await createFireboltFleet();
});
afterAll(() => fleet.stop());

const create = (name: string, spec: Record<string, unknown> = {}) =>
  fleet.create(instance.api, { metadata: { name }, spec: { metadata: {}, gateway: {}, ...spec } });
const look = async (name: string): Promise<Instance> =>
  instanceSchema.parse(await fleet.client.get(instance.api, { namespace, name }));
const untilPhase = (name: string, phase: string) =>
  fleet.until(`instance ${name} is ${phase}`, async () => {
    const seen = await look(name);
    return seen.status.phase === phase && seen;
  });
const ready = ({ status }: Instance) => findCondition(status.conditions, "Ready");
/** Pods of the metadata service that start and never get ready; null lets them. */
const metadataPods = (delay: "never" | null) =>
  fleet.patch(instance.api, "main", {
    spec: { metadata: { template: { metadata: { annotations: { "sandbox.orrery.dev/ready-delay": delay } } } } },
  });

test("a new instance is Provisioning until its services are ready, and tells no metadata endpoint before", async () => {
  await create("main");
  const early = await untilPhase("main", "Provisioning");
  expect(early.status.metadataEndpoint).toBeUndefined();
  const { status } = await untilPhase("main", "Ready");
  expect(status).toMatchObject({ metadataEndpoint: "main-metadata.shop.svc.cluster.local:7000", metadataReady: true });
});

test("its id is generated once, outlives the worker, and cannot be changed or taken away", async () => {
  const { id } = (await look("main")).spec;
  expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  await fleet.restartWorker();
  await fleet.clock.advance(60_000);
  expect((await look("main")).spec.id).toBe(id);
  await expect(fleet.patch(instance.api, "main", { spec: { id: "other" } })).rejects.toThrow(/immutable/);
  await expect(fleet.patch(instance.api, "main", { spec: { id: null } })).rejects.toThrow(/cannot be taken away/);
});

test("a metadata service that is lost makes it Degraded, clears the endpoint and holds its engines, until it is back", async () => {
  const spec = { instanceRef: "main", replicas: 1 };
  await fleet.create(engineKind.api, { metadata: { name: "guest" }, spec });
  const because = (reason: string) =>
    fleet.untilEngine("guest", reason, ({ status }) => findCondition(status.conditions, "Ready")?.reason === reason);
  await because("EngineReady");
  await metadataPods("never");
  const { status } = await untilPhase("main", "Degraded");
  expect(status).toMatchObject({ metadataReady: false });
  expect(status.metadataEndpoint).toBeUndefined();
  const held = await because("InstanceNotReady");
  expect(held.status.phase).toBe("stable");
  await metadataPods(null);
  expect((await untilPhase("main", "Ready")).status.metadataEndpoint).toBeDefined();
  await because("EngineReady");
});

test("an API server without CEL lets another id in; the instance fails, and stays failed when it is changed back", async () => {
  await create("moved", { id: "mine" });
  await untilPhase("moved", "Ready");
  const { name } = crdOf(instance).metadata;
  const { metadata } = await fleet.client.get(apis.customResourceDefinition, { name });
  const withoutRules = crdOf({ ...instance, crd: { ...instance.crd, rules: {} } });
  await fleet.client.replace(apis.customResourceDefinition, { ...withoutRules, metadata });
  await fleet.patch(instance.api, "moved", { spec: { id: "other" } });
  const failed = await untilPhase("moved", "Failed");
  expect(ready(failed)).toMatchObject({ status: "False", reason: "IdChanged" });
  expect(failed.status.metadataEndpoint).toBeUndefined();
  await fleet.patch(instance.api, "moved", { spec: { id: "mine" } });
  await fleet.restartWorker();
  await fleet.clock.advance(600_000);
  const later = await look("moved");
  expect(later.status.phase).toBe("Failed");
  expect(ready(later)).toMatchObject({ reason: "IdChanged" });
});

test("a database whose credentials are lost fails its instance for good, and nothing is written over it", async () => {
  await create("robbed");
  await untilPhase("robbed", "Ready");
  await fleet.client.delete(apis.secret, { namespace, name: "robbed-metadata-postgres-creds" }, {});
  expect(ready(await untilPhase("robbed", "Failed"))).toMatchObject({ reason: "PostgresCredentialsLost" });
  await fleet.clock.advance(600_000);
  expect((await look("robbed")).status.phase).toBe("Failed");
  expect(await fleet.find(apis.secret, "robbed-metadata-postgres-creds")).toBeNull();
});

test.each(["main", "moved"])("a deleted instance, failed or not, leaves nothing behind: %s", async (name) => {
  await fleet.client.delete(instance.api, { namespace, name }, {});
  await fleet.until("the instance is gone", async () => (await fleet.find(instance.api, name)) === null);
  await fleet.until("its pods and claims are gone", async () => {
    const where = { namespace, labelSelector: `firebolt.io/instance=${name}` };
    const kinds = [...instanceApis, apis.pod, apis.persistentVolumeClaim];
    const lists = await Promise.all(kinds.map((api) => fleet.client.list(api, where)));
    return lists.every(({ items }) => items.length === 0);
  });
});
