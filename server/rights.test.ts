import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "@/machines/families";
import { startAdmission } from "@/server/admission/admission";
import { requireNamespace } from "@/server/boot/ensure-namespace";
import { requireCrds } from "@/server/boot/install-crds";
import { openTestDatabase } from "@/server/db/fixtures/test-database";
import { testOptions, pipelinesIn } from "@/server/feldera/fixtures/pipelines";
import { liveThrough as pipelineLife } from "@/server/feldera/fixtures/whole-life";
import { enginesIn } from "@/server/firebolt/fixtures/firebolt-fleet";
import { liveThrough as engineLife } from "@/server/firebolt/fixtures/whole-life";
import { createWarningWatch } from "@/server/history/warning-watch";
import { type KubernetesClient } from "@/server/kubernetes/client";
import { createVirtualClock } from "@/server/kubernetes/clock";
import { silentLog } from "@/server/observability/log";
import { type PassOutcome } from "@/server/reconcile/pass";
import { createReconcilers } from "@/server/reconcilers";
import { createLimitedClient, limitedNamespace } from "@/server/testing/limited-client";
import { createReplayCheck } from "@/server/testing/replay-check";
import { createSandboxFleet, type SandboxFleet } from "@/server/testing/sandbox-fleet";
import { createWorker } from "@/server/worker";

const namespace = "shop";
const reconcilers = createReconcilers({ firebolt: {}, feldera: testOptions });
const passes: PassOutcome[] = [];
const refusals: unknown[] = [];
const history = createReplayCheck(reconcilers);
let fleet: SandboxFleet;

beforeAll(async () => {
  fleet = await createSandboxFleet({ kinds: Object.values(kinds), reconcilers, namespace });
  await fleet.stopWorker();
  const client = await createLimitedClient(fleet);
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
  await serveWebhook(client);
  await warnings.stop();
  await database.close();
});
afterAll(() => fleet.stop());

/** From its first certificate over the next one to its end. */
async function serveWebhook(client: KubernetesClient): Promise<void> {
  const clock = createVirtualClock({ startMs: Date.now() });
  const place = { host: "127.0.0.1", port: 0, url: "https://127.0.0.1:{port}", namespace: limitedNamespace };
  const admission = await startAdmission({ client, clock, log: silentLog, bounds: {}, ...place });
  await clock.advance(61 * 24 * 3_600_000);
  await admission.checkCertificate();
  await admission.stop();
}

test("the rights in deploy/ are enough for whole lives of every family, from the start to the last pass", () => {
  expect(passes.flatMap(({ error }) => (error?.includes("forbidden") ? [error] : []))).toEqual([]);
  expect(refusals).toEqual([]);
});

test("and the history of these lives folds to the states that were stored", () => {
  expect(history.divergences()).toEqual([]);
});
