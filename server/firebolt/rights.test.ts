import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { firebolt } from "@/machines/firebolt/family";
import { apis } from "@/server/kubernetes/apis";
import { createClient } from "@/server/kubernetes/client";
import { serverConnection } from "@/server/kubernetes/connection";
import { isNotFound } from "@/server/kubernetes/errors";
import { type Api, type KubernetesObject, pathOf } from "@/server/kubernetes/object";
import { type PassOutcome } from "@/server/reconcile/pass";
import { createWorker, type Worker } from "@/server/worker";
import { createFireboltFleet, type FireboltFleet } from "./fixtures/firebolt-fleet";
import { createFireboltReconcilers } from "./reconcilers";

const { engine, instance } = firebolt.kinds;
const passes: PassOutcome[] = [];
let fleet: FireboltFleet;
let worker: Worker;

beforeAll(async () => {
  fleet = await createFireboltFleet();
  await fleet.stopWorker();
  await fleet.client.create(apis.namespace, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "orrery-system" },
  });
  for (const document of parseAllDocuments(readFileSync("deploy/rbac.yaml", "utf8"))) {
    const object = document.toJS() as KubernetesObject;
    const api = Object.values<Api>(apis).find(({ kind }) => kind === object.kind);
    if (api) await fleet.client.create(api, object);
  }
  const path = pathOf(apis.serviceAccount, { namespace: "orrery-system", name: "orrery", subresource: "token" });
  const { body } = await fleet.client.request("POST", path, {
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 864_000 } },
  });
  const { token } = (body as { status: { token: string } }).status;
  const connection = serverConnection({ server: fleet.sandbox.url, token });
  worker = createWorker({
    client: createClient({ connection, clock: fleet.clock }),
    clock: fleet.clock,
    reconcilers: createFireboltReconcilers(),
    identity: "rights",
    leaseNamespace: "orrery-system",
    onPass: (outcome) => passes.push(outcome),
  });
  worker.start();
});
afterAll(async () => {
  await worker.stop({ abandon: true });
  await fleet.stop();
});

const serves = (generation: number) =>
  fleet.untilEngine("first", `serves on generation ${generation}`, ({ status }) => {
    const ready = status.conditions.find(({ type }) => type === "Ready");
    return status.activeGeneration === generation && ready?.status === "True";
  });
const isGone = (api: Api, name: string) =>
  fleet.until(`${name} is gone`, () =>
    fleet.client.get(api, { namespace: "shop", name }).then(() => false, isNotFound),
  );

test("the rights in deploy/ are enough for the life of an instance and an engine, from the first pass to the last", async () => {
  await fleet.create(instance.api, {
    metadata: { name: "main" },
    spec: { metadata: {}, gateway: {}, metricScrapeMode: "ApiserverProxy" },
  });
  await fleet.create(engine.api, { metadata: { name: "first" }, spec: { instanceRef: "main", replicas: 1 } });
  await serves(0);
  await fleet.patch(engine.api, "first", { spec: { storage: { persistentVolumeClaim: { size: "1Gi" } } } });
  await serves(1);
  await fleet.client.delete(engine.api, { namespace: "shop", name: "first" });
  await isGone(engine.api, "first");
  expect(passes.flatMap(({ error }) => (error?.includes("forbidden") ? [error] : []))).toEqual([]);
});

test("of a deleted engine all that can go goes, every refusal is told, and the finalizer stays until the last is gone", async () => {
  await fleet.create(engine.api, { metadata: { name: "first" }, spec: { instanceRef: "main", replicas: 1 } });
  await serves(0);
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
    await isGone(api, name);
  expect((await fleet.engine("first")).metadata.finalizers).toEqual(["compute.firebolt.io/engine-cleanup"]);
  await fleet.client.patch(apis.clusterRole, { name: "orrery-worker" }, { rules }, { type: "merge" });
  await isGone(engine.api, "first");
  await fleet.client.delete(instance.api, { namespace: "shop", name: "main" });
  await isGone(instance.api, "main");
});
