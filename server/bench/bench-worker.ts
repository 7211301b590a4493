import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { type PassOutcome } from "@/server/reconcile/pass";
import { createWorker, type Worker } from "@/server/worker";
import { type Bench } from "./bench-group";
import { createBenchletReconciler } from "./benchlet";

/** Writes that the worker has sent, refused ones included, without those of its lease. */
export type Sent = { status: number; other: number };

/** A worker in this process whose requests are counted. It is stopped when the bench ends. */
export function createBenchWorker(
  bench: Bench,
  namespace: string,
  onPass?: (outcome: PassOutcome) => void,
): { worker: Worker; sent: Sent } {
  const sent: Sent = { status: 0, other: 0 };
  const client = createClient({ connection: bench.connection, clock: systemClock });
  const leaseClient = createClient({ connection: bench.connection, clock: systemClock });
  const reconciler = createBenchletReconciler(bench.group);
  const worker = createWorker({
    client: counting(client, sent),
    leaseClient,
    clock: systemClock,
    reconcilers: { [reconciler.id]: reconciler },
    identity: "bench",
    leaseNamespace: namespace,
    namespace,
    onPass,
  });
  bench.undo(async () => {
    await worker.stop();
    await client.close();
    await leaseClient.close();
  });
  return { worker, sent };
}

function counting(client: KubernetesClient, sent: Sent): KubernetesClient {
  const count = () => void (sent.other += 1);
  return {
    ...client,
    guarded: (check) => counting(client.guarded(check), sent),
    patch: (api, key, body, options) => {
      sent[options.subresource === "status" ? "status" : "other"] += 1;
      return client.patch(api, key, body, options);
    },
    create: (...args) => (count(), client.create(...args)),
    replace: (...args) => (count(), client.replace(...args)),
    delete: (...args) => (count(), client.delete(...args)),
  };
}
