import { type Bench, type BenchGroup } from "./bench-group";
import { createBenchlet } from "./benchlet";
import { startContestant } from "./contestant";
import { median, round } from "./sample";

/** How many objects the large caches of `heapPerObject`, `sync` and `overtake` hold. */
export const MANY = 10_000;
const ROUNDS = 3;

/** A process that only fills a cache, and how much larger its heap is for that. */
export const heapPerObject: BenchGroup = {
  key: "heapPerObject",
  title: "heap of a large cache",
  run: async (bench) => {
    const namespace = await manyObjects(bench);
    const { api } = createBenchlet(bench.group);
    const { items } = await bench.client.list(api, { namespace });
    const jsonBytes = items.reduce((sum, item) => sum + Buffer.byteLength(JSON.stringify(item)), 0) / items.length;
    const heaps: number[] = [];
    for (let turn = 0; turn < ROUNDS; turn++) {
      const contestant = await startContestant(bench, "cache", { namespace });
      // Sent by contestants/cache.ts.
      const { heapBytes, objects } = contestant.message as { heapBytes: number; objects: number };
      if (objects !== items.length) throw new Error(`the cache holds ${objects} objects of ${items.length}`);
      heaps.push(heapBytes / objects);
      await contestant.end();
    }
    return [
      {
        key: "heapPerObject",
        what: `heap bytes per cached object over its JSON bytes, at ${items.length}`,
        value: round(median(heaps) / jsonBytes),
        unit: "ratio",
        goal: { atMost: 1.3 },
        detail: { heapBytes: round(median(heaps), 0), jsonBytes: round(jsonBytes, 0) },
      },
    ];
  },
};

const filled = new WeakMap<Bench, Promise<string>>();

/** A namespace with many objects of about a kilobyte, made once in a run. */
export function manyObjects(bench: Bench): Promise<string> {
  const known = filled.get(bench);
  if (known) return known;
  const filling = fillMany(bench);
  filled.set(bench, filling);
  return filling;
}

async function fillMany(bench: Bench): Promise<string> {
  const namespace = await bench.namespace("many");
  const count = Math.ceil(MANY / bench.scale);
  bench.say(`filling a namespace with ${count} objects …`);
  await bench.fill(namespace, count, (index) => ({
    metadata: {
      namespace,
      name: `o-${index}`,
      labels: { "app.kubernetes.io/name": "benchlet", "app.kubernetes.io/part-of": `team-${index % 20}` },
      annotations: { "bench.orrery.dev/owner": `owner-${index % 100}@example.com` },
    },
    spec: { value: index, padding: `object number ${index}: ${"a line of text as specs have them. ".repeat(8)}` },
  }));
  return namespace;
}
