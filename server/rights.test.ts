import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "@/machines/families";
import { firebolt } from "@/machines/firebolt/family";
import { startAdmission } from "@/server/admission/admission";
import { requireNamespace } from "@/server/boot/ensure-namespace";
import { requireCrds } from "@/server/boot/install-crds";
import { openTestDatabase } from "@/server/db/fixtures/test-database";
import { testOptions, pipelinesIn } from "@/server/feldera/fixtures/pipelines";
import { liveThrough as pipelineLife } from "@/server/feldera/fixtures/whole-life";
import { enginesIn } from "@/server/firebolt/fixtures/firebolt-fleet";
import { liveThrough as engineLife } from "@/server/firebolt/fixtures/whole-life";
import { createWarningWatch } from "@/server/history/warning-watch";
import { apis } from "@/server/kubernetes/apis";
import { type KubernetesClient } from "@/server/kubernetes/client";
import { createVirtualClock } from "@/server/kubernetes/clock";
import { createEventRecorder } from "@/server/kubernetes/event-recorder";
import { apiVersionOf } from "@/server/kubernetes/object";
import { silentLog } from "@/server/observability/log";
import { type PassOutcome } from "@/server/reconcile/pass";
import { createReconcilers } from "@/server/reconcilers";
import { createLimitedClient, grantedRights, limitedNamespace } from "@/server/testing/limited-client";
import { createReplayCheck } from "@/server/testing/replay-check";
import { createSandboxFleet, type SandboxFleet } from "@/server/testing/sandbox-fleet";
import { createWorker } from "@/server/worker";

const namespace = "shop";
const reconcilers = createReconcilers({ firebolt: {}, feldera: testOptions });
const passes: PassOutcome[] = [];
const refusals: unknown[] = [];
const used = new Set<string>();
const history = createReplayCheck(reconcilers);
let fleet: SandboxFleet;

beforeAll(async () => {
  fleet = await createSandboxFleet({ kinds: Object.values(kinds), reconcilers, namespace });
  await fleet.stopWorker();
  const client = await createLimitedClient(fleet, used);
  const { clock } = fleet;
  await requireNamespace(client, limitedNamespace);
  await requireCrds(client);
  const database = await openTestDatabase();
  const warnings = createWarningWatch({ client, clock, database, kinds, onError: (error) => refusals.push(error) });
  warnings.start();
  const worker = createWorker({
    client,
    clock,
    reconcilers,
    identity: "rights",
    leaseNamespace: limitedNamespace,
    onPass: (outcome) => {
      passes.push(outcome);
      history.onPass(outcome);
    },
  });
  worker.start();
  await engineLife(enginesIn(fleet, namespace));
  await pipelineLife(pipelinesIn(fleet, namespace));
  await worker.stop();
  await tellTwice(client);
  await warnOfEveryOwner();
  await warnings.settled();
  await serveWebhook(client);
  await warnings.stop();
  await database.close();
});
afterAll(() => fleet.stop());

/** What is repeated is counted on the event that is there. */
async function tellTwice(client: KubernetesClient): Promise<void> {
  const recorder = createEventRecorder({ client, clock: fleet.clock, component: "orrery", instance: "rights" });
  const about = { apiVersion: "v1", kind: "Namespace", namespace, name: namespace, uid: "1" };
  const happening = { about, severity: "Normal", reason: "Told", message: "twice" } as const;
  recorder.record(happening);
  recorder.record(happening);
  await recorder.drain();
  await recorder.stop();
}

/** Whose a warning is, is looked up on the object that it is about. */
async function warnOfEveryOwner(): Promise<void> {
  const { pod, replicaSet, statefulSet, deployment, job, persistentVolumeClaim, service, configMap } = apis;
  for (const api of [pod, replicaSet, statefulSet, deployment, job, persistentVolumeClaim, service, configMap]) {
    const involvedObject = { apiVersion: apiVersionOf(api), kind: api.kind, namespace, name: "any", uid: api.plural };
    await fleet.create(apis.event, { metadata: { name: `of-${api.plural}` }, involvedObject, type: "Warning" });
  }
}

/** From its first certificate over the next one to its end. */
async function serveWebhook(client: KubernetesClient): Promise<void> {
  const clock = createVirtualClock({ startMs: Date.now() });
  const place = { host: "127.0.0.1", port: 0, url: "https://127.0.0.1:{port}", namespace: limitedNamespace };
  const admission = await startAdmission({ client, clock, log: silentLog, bounds: {}, ...place });
  const spec = { instanceRef: "main", engineClassRef: "small", replicas: 0 };
  await fleet.create(firebolt.kinds.engine.api, { metadata: { name: "judged" }, spec });
  await clock.advance(61 * 24 * 3_600_000);
  await admission.checkCertificate();
  await admission.stop();
}

test("the rights in deploy/ are enough for whole lives of every family, from the start to the last pass", () => {
  expect(passes.flatMap(({ error }) => (error?.includes("forbidden") ? [error] : []))).toEqual([]);
  expect(refusals).toEqual([]);
});

test("and none of them is more than they need, but what is done for a caller and what some clusters ask for", () => {
  const forCallers = [
    ...["tokenreviews.authentication.k8s.io", "subjectaccessreviews.authorization.k8s.io"].map(
      (one) => `create ${one}`,
    ),
    ...["patch", "create", "update", "delete"].map((verb) => `${verb} pipelines.feldera.com`),
  ];
  // Where an admission plugin guards owner references.
  const forOwners = [
    "update fireboltinstances/finalizers.compute.firebolt.io",
    "update fireboltengines/finalizers.compute.firebolt.io",
    "update pipelines/finalizers.feldera.com",
  ];
  const spare = grantedRights().filter((right) => !used.has(right));
  expect(spare.sort()).toEqual([...forCallers, ...forOwners].sort());
});

test("and the history of these lives folds to the states that were stored", () => {
  expect(history.divergences()).toEqual([]);
});
