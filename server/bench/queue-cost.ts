import { systemClock } from "@/server/kubernetes/clock";
import { createQueue } from "@/server/reconcile/queue";
import { type BenchGroup } from "./bench-group";
import { median, round } from "./sample";

const KEYS = 100_000;
const ROUNDS = 15;

/** The queue alone, with its observers on: the price of a key's way through it. */
export const queueCost: BenchGroup = {
  key: "queue",
  title: "add + take + done",
  run: async (bench) => {
    const keys = Array.from({ length: Math.ceil(KEYS / bench.scale) }, (_, index) => `ns-${index % 50}/o-${index}`);
    // Of this process alone: nothing here waits, so what others do on the machine is not the queue's.
    const perKey = (started: NodeJS.CpuUsage) => {
      const { user, system } = process.cpuUsage(started);
      return (user + system) / keys.length;
    };
    const fresh: number[] = [];
    const known: number[] = [];
    const floor: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const numbers = { adds: 0, waitedMs: 0 };
      const observer = {
        onReady: () => undefined,
        onAdd: () => {
          numbers.adds++;
        },
        onTake: (ms: number) => void (numbers.waitedMs += ms),
      };
      const queue = createQueue({ clock: systemClock, observer });
      const once = () => {
        const started = process.cpuUsage();
        for (const key of keys) queue.add(key);
        for (let key = queue.take(); key !== undefined; key = queue.take()) queue.done(key);
        return perKey(started);
      };
      fresh.push(once());
      known.push(once());
      floor.push(setCost(keys, perKey));
    }
    return [
      {
        key: "queue",
        what: `µs of CPU per add + take + done at ${keys.length} keys`,
        value: round(median(known), 3),
        unit: "µs",
        goal: { atMost: 1 },
        detail: { firstTime: round(median(fresh), 3), bareSet: round(median(floor), 3), rounds: ROUNDS },
      },
    ];
  },
};

/** The least that keeps a key once and in order: a Set. */
function setCost(keys: readonly string[], perKey: (started: NodeJS.CpuUsage) => number): number {
  const started = process.cpuUsage();
  const set = new Set<string>();
  for (const key of keys) set.add(key);
  for (const key of set) set.delete(key);
  return perKey(started);
}
