import { type BenchGroup, type Figure } from "./bench-group";
import { createBenchlet } from "./benchlet";
import { startContestant } from "./contestant";
import { median, round } from "./sample";
import { openStatusWatch } from "./status-watch";

const ROUNDS = 300;
/** Until each has its code compiled, as in a process that lives for days. */
const WARM_UP = 100;
const programs = ["orrery", "client-node", "fluent-client", "dot-i-operator"] as const;
type Program = (typeof programs)[number];

/** The same loop, with the same status in the end, on each of the libraries that are used for it in JavaScript, each in a process of its own, in turns. */
export const peers: BenchGroup = {
  key: "peers",
  title: "the same loop on other libraries",
  run: async (bench) => {
    const { api } = createBenchlet(bench.group);
    const lanes: Lane[] = [];
    for (const program of programs) {
      const namespace = await bench.namespace(program);
      await bench.fill(namespace, 1);
      await startContestant(bench, program, { namespace });
      lanes.push({ program, namespace, field: "status", samples: [] });
    }
    const raw = await bench.namespace("peers-raw");
    await bench.fill(raw, 1);
    const watch = await openStatusWatch(bench.client, api);
    const timed = async (namespace: string, value: number, field: "spec" | "status") => {
      const startedMs = performance.now();
      const seen = watch.seen(namespace, "o-0", (object) => object[field]?.value === value);
      await bench.client.patch(api, { namespace, name: "o-0" }, { spec: { value } }, { type: "merge" });
      return (await seen) - startedMs;
    };
    const floor: Lane = { program: "raw", namespace: raw, field: "spec", samples: [] };
    for (let turn = 1; turn <= Math.ceil(ROUNDS / bench.scale) + WARM_UP; turn++) {
      // What one has done on the machine is not over when its status is seen: nobody follows the same one each time.
      for (const { namespace, field, samples } of rotated([floor, ...lanes], turn)) {
        const ms = await timed(namespace, turn, field);
        if (turn > WARM_UP) samples.push(ms);
      }
    }
    watch.close();
    return [figureOf(lanes, median(floor.samples))];
  },
};

type Lane = { program: Program | "raw"; namespace: string; field: "spec" | "status"; samples: number[] };

/** Each of them at another place every turn, and behind another one every time it has been around. */
function rotated(lanes: readonly Lane[], turn: number): Lane[] {
  const order = Math.floor(turn / lanes.length) % 2 === 0 ? lanes : lanes.toReversed();
  const first = turn % lanes.length;
  return [...order.slice(first), ...order.slice(0, first)];
}

function figureOf(lanes: readonly Lane[], rawMs: number): Figure {
  const ratios = Object.fromEntries(lanes.map(({ program, samples }) => [program, round(median(samples) / rawMs)]));
  const { orrery = NaN, ...others } = ratios;
  return {
    key: "peers",
    what: "our loop over the fastest other library's, both p50",
    value: round(orrery / Math.min(...Object.values(others))),
    unit: "ratio",
    goal: { atMost: 1 },
    detail: { rawP50Ms: round(rawMs), ...ratios },
  };
}
