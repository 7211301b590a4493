import { afterAll, beforeAll, expect, test } from "vitest";
import { firebolt } from "@/machines/firebolt/family";
import { apis } from "@/server/kubernetes/apis";
import { type PassOutcome } from "@/server/reconcile/pass";
import { createLimitedClient, limitedNamespace } from "@/server/testing/limited-client";
import { createReplayCheck } from "@/server/testing/replay-check";
import { createWorker, type Worker } from "@/server/worker";
import { createFireboltFleet, type FireboltFleet } from "./fixtures/firebolt-fleet";
import { isGone, serves } from "./fixtures/whole-life";
import { createFireboltReconcilers } from "./reconcilers";

const { engine, instance } = firebolt.kinds;
const passes: PassOutcome[] = [];
const history = createReplayCheck(createFireboltReconcilers());
let fleet: FireboltFleet;
let worker: Worker;

beforeAll(async () => {
  fleet = await createFireboltFleet();
  await fleet.stopWorker();
  const client = await createLimitedClient(fleet);
  worker = createWorker({
    client,
    clock: fleet.clock,
    reconcilers: createFireboltReconcilers(),
    identity: "rights",
    leaseNamespace: limitedNamespace,
    onPass: (outcome) => {
      passes.push(outcome);
      history.onPass(outcome);
    },
  });
  worker.start();
});
afterAll(async () => {
  await worker.stop({ abandon: true });
  await fleet.stop();
  history.mustReplay();
});

test("of a deleted engine all that can go goes, every refusal is told, and the finalizer stays until the last is gone", async () => {
  await fleet.create(instance.api, { metadata: { name: "main" }, spec: { metadata: {}, gateway: {} } });
  await fleet.create(engine.api, { metadata: { name: "first" }, spec: { instanceRef: "main", replicas: 1 } });
  await serves(fleet, 0);
  const role = await fleet.client.get(apis.clusterRole, { name: "orrery-worker" });
  const rules = role.rules as { resources: string[]; verbs: string[] }[];
  const deletesServices = ({ resources, verbs }: (typeof rules)[number]) =>
    resources.includes("services") && verbs.includes("delete");
  const less = rules.flatMap((rule) =>
    deletesServices(rule)
      ? [
          { ...rule, resources: rule.resources.filter((resource) => resource !== "services") },
          { ...rule, resources: ["services"], verbs: rule.verbs.filter((verb) => verb !== "delete") },
        ]
      : [rule],
  );
  await fleet.client.patch(apis.clusterRole, { name: "orrery-worker" }, { rules: less }, { type: "merge" });
  passes.length = 0;
  await fleet.client.delete(engine.api, { namespace: "shop", name: "first" });
  const told = (error: string) => error.includes("first-g0-hl") && error.includes("first-service");
  const refused = await fleet.until("both Services are refused", async () => {
    return passes.map(({ error = "" }) => error).find(told) ?? false;
  });
  expect(refused).toContain("forbidden");
  for (const [api, name] of [
    [apis.statefulSet, "first-g0"],
    [apis.configMap, "first-g0-config"],
  ] as const)
    await isGone(fleet, api, name);
  expect((await fleet.engine("first")).metadata.finalizers).toEqual(["compute.firebolt.io/engine-cleanup"]);
  await fleet.client.patch(apis.clusterRole, { name: "orrery-worker" }, { rules }, { type: "merge" });
  await isGone(fleet, engine.api, "first");
  await fleet.client.delete(instance.api, { namespace: "shop", name: "main" });
  await isGone(fleet, instance.api, "main");
});
