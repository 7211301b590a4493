import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findCondition } from "@/machines/conditions";
import { type Engine } from "@/machines/firebolt/engine.schema";
import { firebolt } from "@/machines/firebolt/family";
import { apis } from "@/server/kubernetes/apis";
import { createFireboltFleet, type FireboltFleet } from "./fixtures/firebolt-fleet";

const { engine: engineKind, instance } = firebolt.kinds;
const namespace = "shop";
let fleet: FireboltFleet;

beforeAll(async () => {
  fleet = await createFireboltFleet();
  await fleet.create(instance.api, { metadata: { name: "main" }, spec: { metadata: {}, gateway: {} } });
  await fleet.until("the instance is ready", async () => {
    const seen = await fleet.find(instance.api, "main");
    return seen?.status?.phase === "Ready";
  });
});
afterAll(() => fleet.stop());

const ready = ({ status }: Engine) => findCondition(status.conditions, "Ready");
const isServing = (engine: Engine) => ready(engine)?.status === "True";
const says = (text: string) => (engine: Engine) => ready(engine)?.message.includes(text) === true;
const saysNo = (text: string) => (engine: Engine) => !says(text)(engine);
const deploy = (name: string, spec: Record<string, unknown> = {}) =>
  fleet.create(engineKind.api, { metadata: { name }, spec: { instanceRef: "main", replicas: 1, ...spec } });

/** Time of the fleet's own clock, which moves only while somebody waits: the same on every machine. */
async function within10s(name: string, what: string, is: (engine: Engine) => boolean): Promise<Engine> {
  const began = fleet.clock.now();
  const engine = await fleet.untilEngine(name, what, is);
  expect(fleet.clock.now() - began).toBeLessThanOrEqual(10_000);
  return engine;
}

async function quota(pods: string) {
  await fleet.create(apis.resourceQuota, { metadata: { name: "pods" }, spec: { hard: { pods } } });
  await fleet.until("the quota counts", async () =>
    JSON.stringify((await fleet.find(apis.resourceQuota, "pods"))?.status ?? {}).includes("used"),
  );
}
const noQuota = () => fleet.client.delete(apis.resourceQuota, { namespace, name: "pods" });

describe("within 10 s an engine says what keeps its pods from being made, and within 10 s of the cure no more", () => {
  test("a ServiceAccount that is missing", async () => {
    await deploy("orphan", { template: { spec: { serviceAccountName: "nobody" } } });
    const stuck = await within10s("orphan", "tells", says("nobody"));
    expect(ready(stuck)).toMatchObject({ status: "False", reason: "FailedCreate" });
    expect(ready(stuck)?.message).toMatch(/^StatefulSet orphan-g0: .*nobody.* \(x\d+\)$/);
    await fleet.create(apis.serviceAccount, { metadata: { name: "nobody" } });
    await within10s("orphan", "is past it", saysNo("nobody"));
    await fleet.untilEngine("orphan", "serves", isServing);
  });

  test("a quota that is exceeded", async () => {
    await quota("0");
    await deploy("crowded");
    const stuck = await within10s("crowded", "tells", says("exceeded quota"));
    expect(ready(stuck)).toMatchObject({ status: "False", reason: "FailedCreate" });
    await noQuota();
    await within10s("crowded", "is past it", saysNo("exceeded quota"));
    await fleet.untilEngine("crowded", "serves", isServing);
  });

  test("a quota that keeps a stable engine from getting a lost pod back", async () => {
    await quota("0");
    await fleet.client.delete(apis.pod, { namespace, name: "crowded-g0-0" }, {});
    const stuck = await within10s("crowded", "tells", says("exceeded quota"));
    expect(stuck.status.phase).toBe("stable");
    await noQuota();
    await within10s("crowded", "is past it", saysNo("exceeded quota"));
    await fleet.untilEngine("crowded", "serves", isServing);
  });
});

test("an engine whose pods come in time asks for no events, neither when it is made nor when it is rolled", async () => {
  const began = fleet.sent.length;
  await deploy("smooth");
  await fleet.untilEngine("smooth", "serves", isServing);
  await fleet.patch(engineKind.api, "smooth", { spec: { customEngineConfig: { logging: { level: "debug" } } } });
  await fleet.untilEngine("smooth", "is rolled", (one) => isServing(one) && one.status.activeGeneration === 1);
  expect(fleet.sent.slice(began).filter(({ path }) => path.includes("/events?fieldSelector="))).toEqual([]);
});

test("engines that are stuck together each say why, and ask together", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `lost-${index}`);
  const began = { passes: fleet.passes.length, sent: fleet.sent.length };
  await Promise.all(
    names.map((name) => deploy(name, { template: { spec: { serviceAccountName: `missing-${name}` } } })),
  );
  for (const name of names) {
    const stuck = await fleet.untilEngine(name, "tells", says(`missing-${name}`));
    expect(ready(stuck)?.message).toMatch(new RegExp(`^StatefulSet ${name}-g0: `));
  }
  const questions = fleet.sent.slice(began.sent).filter(({ path }) => path.includes("/events?fieldSelector="));
  const lookups = fleet.passes
    .slice(began.passes)
    .filter(({ key, plan }) => names.includes(key.name) && plan?.effects.length === 0);
  expect(questions.some(({ path }) => path.includes("StatefulSet"))).toBe(true);
  expect(questions.length).toBeLessThan(lookups.length);
});
