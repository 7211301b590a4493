import { type BenchGroup } from "./bench-group";
import { benchletStatusOf, createBenchlet } from "./benchlet";
import { startContestant } from "./contestant";
import { median, percentile, round } from "./sample";
import { openStatusWatch } from "./status-watch";

const ROUNDS = 400;
const WARM_UP = 40;

/** Spec change to status visible, through a worker in a process of its own, over a bare patch to its watch event. */
export const specToStatus: BenchGroup = {
  key: "specToStatus",
  title: "spec change → status visible",
  run: async (bench) => {
    const raw = await bench.namespace("raw");
    const loop = await bench.namespace("loop");
    const bare = await bench.namespace("bare");
    await bench.fill(raw, 1);
    await bench.fill(loop, 1);
    await bench.fill(bare, 1);
    const contestants = [
      await startContestant(bench, "orrery", { namespace: loop }),
      await startContestant(bench, "bare", { namespace: bare }),
    ];
    const { api } = createBenchlet(bench.group);
    const watch = await openStatusWatch(bench.client, api);
    // The floor's object is as large as the one that is reconciled.
    const status = benchletStatusOf(1, 0, bench.clock.now());
    await bench.client.patch(
      api,
      { namespace: raw, name: "o-0" },
      { status },
      { type: "merge", subresource: "status" },
    );
    const patch = (namespace: string, value: number) =>
      bench.client.patch(api, { namespace, name: "o-0" }, { spec: { value } }, { type: "merge" });

    const timed = async (namespace: string, value: number, field: "spec" | "status") => {
      const startedMs = performance.now();
      const seen = watch.seen(namespace, "o-0", (object) => object[field]?.value === value);
      await patch(namespace, value);
      return (await seen) - startedMs;
    };
    const samples = { raw: [] as number[], loop: [] as number[], bare: [] as number[] };
    const rounds = Math.ceil(ROUNDS / bench.scale) + WARM_UP;
    for (let round = 1; round <= rounds; round++) {
      const floor = await timed(raw, round, "spec");
      const ours = await timed(loop, round, "status");
      const least = await timed(bare, round, "status");
      if (round <= WARM_UP) continue;
      samples.raw.push(floor);
      samples.loop.push(ours);
      samples.bare.push(least);
    }
    watch.close();
    for (const contestant of contestants) await contestant.end();
    return [
      {
        key: "specToStatus",
        what: "p50 of spec change → status visible, over raw PATCH → watch event",
        value: round(median(samples.loop) / median(samples.raw)),
        unit: "ratio",
        goal: { atMost: 2.4 },
        detail: {
          rounds: samples.loop.length,
          rawP50Ms: round(median(samples.raw)),
          p50Ms: round(median(samples.loop)),
          p99Ms: round(percentile(samples.loop, 0.99)),
          rawP99Ms: round(percentile(samples.raw, 0.99)),
          bareLoop: round(median(samples.bare) / median(samples.raw)),
        },
      },
    ];
  },
};
