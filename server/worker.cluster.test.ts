import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { type Connection, connectionFrom } from "@/server/kubernetes/connection";
import { isNotFound } from "@/server/kubernetes/errors";
import { type Api, type KubernetesObject } from "@/server/kubernetes/object";
import { type PassOutcome } from "@/server/reconcile/pass";
import { widget } from "@/server/testing/fixtures/widget";
import { widgetScenario } from "@/server/testing/fixtures/widget-scenario";
import { until } from "@/server/testing/until";
import { createReplayCheck } from "@/server/testing/replay-check";
import { createWorker, type Worker } from "@/server/worker";

const { api } = widget;
/** What a pass says when somebody else wrote between its look and its write: the server's words, then our own. */
const lostRace = /changed|conflict|modified|no longer as it was read/i;
const namespace = `orrery-worker-${process.pid.toString(36)}`;
const workers: Worker[] = [];
let connection: Connection;
let client: KubernetesClient;

beforeAll(async () => {
  const kubeconfig = process.env.KUBECONFIG;
  if (!kubeconfig) throw new Error("Name a disposable cluster with KUBECONFIG.");
  connection = await connectionFrom({ kubeconfig });
  client = createClient({ connection, clock: systemClock });
  await widgetScenario.prepare?.(client);
  await client.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
});

// After each try, so that a second one does not wait for a lease that the first still holds.
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
});

afterAll(async () => {
  await client.delete(apis.namespace, { name: namespace });
  await client.close();
  history.mustReplay();
});

const history = createReplayCheck(widgetScenario.reconcilers());

function startReplica(identity: string): { worker: Worker; passes: PassOutcome[] } {
  const passes: PassOutcome[] = [];
  const worker = createWorker({
    client: createClient({ connection, clock: systemClock }),
    leaseClient: createClient({ connection, clock: systemClock }),
    clock: systemClock,
    reconcilers: widgetScenario.reconcilers(),
    identity,
    leaseNamespace: namespace,
    namespace,
    onPass: (outcome) => {
      passes.push(outcome);
      history.onPass(outcome);
    },
  });
  workers.push(worker);
  worker.start();
  return { worker, passes };
}

const get = (of: Api, name: string) =>
  client.get(of, { namespace, name }).catch((error: unknown) => {
    if (isNotFound(error)) return null;
    throw error;
  });

function untilWidget(what: string, isIt: (object: KubernetesObject | null) => boolean): Promise<true> {
  return until(what, async () => (isIt(await get(api, "w")) ? true : null));
}

test("on a real API server a resource is built, changed, handed over and cleaned up, without a write too many", async () => {
  const first = startReplica("first");
  await until("the first replica leads", () => first.worker.isLeader());
  const second = startReplica("second");
  await second.worker.synced();

  const metadata = { namespace, name: "w" };
  await client.create(api, {
    apiVersion: `${api.group}/${api.version}`,
    kind: api.kind,
    metadata,
    spec: { text: "one", parts: 2 },
  });
  await untilWidget("it is ready", (object) => object?.status?.phase === "ready" && object.status.text === "one");
  await until("the worker has nothing left to do", () => first.worker.idle());
  const { items } = await client.list(apis.configMap, { namespace, labelSelector: "testing.orrery.dev/widget=w" });
  // The child, two parts and the ledger: a cache that lags behind would have made parts twice.
  expect(items).toHaveLength(4);
  expect(second.passes).toEqual([]);

  await first.worker.stop();
  await client.patch(api, metadata, { spec: { text: "two" } }, { type: "merge" });
  await untilWidget(
    "the other replica has built it",
    (object) => object?.status?.phase === "ready" && object.status.text === "two",
  );
  expect(second.worker.isLeader()).toBe(true);
  expect(second.passes[0]?.token).toBeGreaterThan(first.passes[0]?.token ?? Infinity);

  await client.delete(api, metadata);
  await untilWidget("it is gone", (object) => object === null);
  expect(await get(apis.configMap, "w-ledger")).toBeNull();
  expect(second.passes.flatMap(({ error }) => error ?? []).filter((error) => !lostRace.test(error))).toEqual([]);
});
