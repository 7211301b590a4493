import { type BenchGroup } from "./bench-group";
import { FIELD_MANAGER } from "@/server/reconcile/effects";
import { benchletStatusOf, createBenchlet } from "./benchlet";
import { startContestant } from "./contestant";
import { median, round } from "./sample";
import { openStatusWatch } from "./status-watch";

const OBJECTS = 1_000;
const ROUNDS = 3;
/** Writers at the same time: what saturates the server. */
const WRITERS = 16;

/** All objects change at once: reconciles per second, against what the server does with the same writes and no worker. */
export const burst: BenchGroup = {
  key: "burst",
  title: "1,000 objects change at once",
  run: async (bench) => {
    const { api } = createBenchlet(bench.group);
    const count = Math.ceil(OBJECTS / bench.scale);
    const raw = await bench.namespace("burst-raw");
    const loop = await bench.namespace("burst");
    await Promise.all([bench.fill(raw, count), bench.fill(loop, count)]);
    const worker = await startContestant(bench, "orrery", { namespace: loop });
    const watch = await openStatusWatch(bench.client, api);
    const settled = (value: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          watch.seen(loop, `o-${index}`, (object) => object.status?.value === value),
        ),
      );
    const patchAll = (namespace: string, value: number, then?: (name: string) => Promise<unknown>) =>
      atOnce(count, async (index) => {
        const name = `o-${index}`;
        await bench.client.patch(api, { namespace, name }, { spec: { value } }, { type: "merge" });
        await then?.(name);
      });
    const writeStatus = (value: number) => (name: string) =>
      bench.client.patch(
        api,
        { namespace: raw, name },
        { status: benchletStatusOf(value + 1, value, bench.clock.now()) },
        { type: "merge", subresource: "status", fieldManager: FIELD_MANAGER },
      );

    const rates = { raw: [] as number[], loop: [] as number[] };
    for (let turn = 1; turn <= ROUNDS; turn++) {
      const rawMs = await timed(() => patchAll(raw, turn, writeStatus(turn)));
      rates.raw.push((2_000 * count) / rawMs);
      const loopMs = await timed(() => Promise.all([settled(turn), patchAll(loop, turn)]));
      rates.loop.push((1_000 * count) / loopMs);
    }
    watch.close();
    await worker.end();
    const [writesPerSecond, reconcilesPerSecond] = [median(rates.raw), median(rates.loop)];
    return [
      {
        key: "burst",
        what: `reconciles/s over ${count} changed objects, against half the raw mixed writes/s`,
        value: round(reconcilesPerSecond / (writesPerSecond / 2)),
        unit: "ratio",
        goal: { atLeast: 0.85 },
        detail: { rawWritesPerSecond: round(writesPerSecond, 0), reconcilesPerSecond: round(reconcilesPerSecond, 0) },
      },
    ];
  },
};

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await run();
  return performance.now() - startedMs;
}

async function atOnce(count: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const writer = async () => {
    for (let index = next++; index < count; index = next++) await run(index);
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}
