import { type BenchGroup } from "./bench-group";
import { createBenchWorker } from "./bench-worker";
import { createBenchlet } from "./benchlet";
import { manyObjects } from "./heap-per-object";
import { median, percentile, round } from "./sample";
import { openStatusWatch } from "./status-watch";

const IDLE_ROUNDS = 100;
const FLOOD_ROUNDS = 100;

/**
 * A worker starts on objects that nobody has reconciled yet, so that every key of the flood needs a write; meanwhile a
 * user changes one object again and again. The same changes on the idle worker afterwards are the floor.
 */
export const overtake: BenchGroup = {
  key: "overtake",
  title: "a user's change during a start-up flood",
  run: async (bench) => {
    const { api } = createBenchlet(bench.group);
    const namespace = await manyObjects(bench);
    const watch = await openStatusWatch(bench.client, api, namespace);
    let passes = 0;
    const { worker } = createBenchWorker(bench, namespace, () => (passes += 1));
    const change = async (value: number) => {
      const startedMs = performance.now();
      const seen = watch.seen(namespace, "o-0", (object) => object.status?.value === value);
      await bench.client.patch(api, { namespace, name: "o-0" }, { spec: { value } }, { type: "merge" });
      return (await seen) - startedMs;
    };

    worker.start();
    await worker.synced();
    // The first answer shows that the flood has begun.
    await change(1_000_000);
    const flood: number[] = [];
    for (let turn = 1; turn <= FLOOD_ROUNDS && !worker.idle(); turn++) flood.push(await change(1_000_000 + turn));
    const passesInFlood = passes;
    while (!worker.idle()) await bench.clock.sleep(100);
    const idle: number[] = [];
    for (let turn = 1; turn <= IDLE_ROUNDS; turn++) idle.push(await change(2_000_000 + turn));
    watch.close();
    return [
      {
        key: "overtake",
        what: "p50 of a user's change during a start-up flood, over idle",
        value: round(median(flood) / median(idle)),
        unit: "ratio",
        goal: { atMost: 3 },
        detail: {
          changes: flood.length,
          passesMeanwhile: passesInFlood,
          floodP50Ms: round(median(flood)),
          floodP99Ms: round(percentile(flood, 0.99)),
          idleP50Ms: round(median(idle)),
        },
      },
    ];
  },
};
