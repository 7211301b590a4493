import { createLease } from "@/server/kubernetes/lease";
import { createClient } from "@/server/kubernetes/client";
import { pathOf } from "@/server/kubernetes/object";
import { createWorker } from "@/server/worker";
import { type Bench, type BenchGroup } from "./bench-group";
import { createBenchlet, createBenchletReconciler } from "./benchlet";
import { manyObjects } from "./heap-per-object";
import { median, round } from "./sample";

const ROUNDS = 7;

/** A standby worker from start to a full cache, over one LIST and JSON.parse of the same objects. */
export const sync: BenchGroup = {
  key: "sync",
  title: "start to synced",
  run: async (bench) => {
    const namespace = await manyObjects(bench);
    const { api } = createBenchlet(bench.group);
    const times = { list: [] as number[], sync: [] as number[] };
    for (let turn = 0; turn <= ROUNDS; turn++) {
      const listMs = await timed(() => bench.client.request("GET", pathOf(api, { namespace })));
      const client = createClient({ connection: bench.connection, clock: bench.clock });
      // The connection itself is part of neither: both clients have one open.
      await client.list(api, { namespace, limit: 1 });
      const syncMs = await standbySync(bench, client, namespace);
      await client.close();
      // The first turn warms both up.
      if (turn === 0) continue;
      times.list.push(listMs);
      times.sync.push(syncMs);
    }
    return [
      {
        key: "sync",
        what: "start to synced, over LIST + JSON.parse",
        value: round(median(times.sync) / median(times.list)),
        unit: "ratio",
        goal: { atMost: 1.5 },
        detail: { listMs: round(median(times.list), 0), syncMs: round(median(times.sync), 0) },
      },
    ];
  },
};

async function standbySync(bench: Bench, client: Bench["client"], namespace: string): Promise<number> {
  const reconciler = createBenchletReconciler(bench.group);
  // A lease that is never started is never held: this worker only fills its caches.
  const lease = createLease({ client, clock: bench.clock, namespace, name: "unused", identity: "standby" });
  const worker = createWorker({
    client,
    clock: bench.clock,
    reconcilers: { [reconciler.id]: reconciler },
    identity: "standby",
    leaseNamespace: namespace,
    namespace,
    lease: { ...lease, start: () => undefined, token: 0 },
  });
  const ms = await timed(async () => {
    worker.start();
    await worker.synced();
  });
  await worker.stop();
  return ms;
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await run();
  return performance.now() - startedMs;
}
