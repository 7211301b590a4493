import { type Bench, type BenchGroup, type Figure } from "./bench-group";
import { createBenchlet } from "./benchlet";
import { type Contestant, startContestant } from "./contestant";
import { percentile, round } from "./sample";
import { openStatusWatch, type StatusWatch } from "./status-watch";

const CLEAN_ROUNDS = 5;
const KILLED_ROUNDS = 2;
/** The user asks again this often, since the leader that goes may still answer the last time. */
const ASK_EVERY_MS = 20;

/** Two replicas; the leader is stopped, or killed; how long until the other one writes. */
export const failover: BenchGroup = {
  key: "failover",
  title: "seconds to the next leader's first write",
  run: async (bench) => {
    const namespace = await bench.namespace("failover");
    await bench.fill(namespace, 20);
    const watch = await openStatusWatch(bench.client, createBenchlet(bench.group).api, namespace);
    let serial = 0;
    const join = async () => {
      const identity = `replica-${++serial}`;
      return { identity, ...(await startContestant(bench, "orrery", { namespace, identity })) };
    };
    let leader = await join();
    await firstWriteBy(bench, watch, namespace, leader.identity);

    const handOver = async (signal: NodeJS.Signals) => {
      const standby = await join();
      const startedMs = performance.now();
      const ended = leader.end(signal);
      const wroteAt = await firstWriteBy(bench, watch, namespace, standby.identity);
      await ended;
      leader = standby;
      return (wroteAt - startedMs) / 1_000;
    };
    const clean: number[] = [];
    const killed: number[] = [];
    for (let turn = 0; turn < CLEAN_ROUNDS; turn++) clean.push(await handOver("SIGTERM"));
    for (let turn = 0; turn < KILLED_ROUNDS; turn++) killed.push(await handOver("SIGKILL"));
    await leader.end();
    watch.close();
    return [
      figure("failover", "seconds from a clean stop to the next leader's first write, worst", clean, 0.5),
      figure("failoverKilled", "seconds from kill -9 to the next leader's first write, worst", killed, 17.4),
    ];
  },
};

type Replica = Contestant & { identity: string };

async function firstWriteBy(
  bench: Bench,
  watch: StatusWatch,
  namespace: string,
  identity: Replica["identity"],
): Promise<number> {
  const { api } = createBenchlet(bench.group);
  const done = { at: 0 };
  const seen = watch
    .seen(namespace, "o-0", (object) => JSON.stringify(object.status?.conditions ?? []).includes(`by ${identity}`))
    .then((at) => (done.at = at));
  while (done.at === 0) {
    const value = Math.floor(performance.now());
    await bench.client.patch(api, { namespace, name: "o-0" }, { spec: { value } }, { type: "merge" });
    await Promise.race([seen, bench.clock.sleep(ASK_EVERY_MS)]);
  }
  return seen;
}

function figure(key: string, what: string, seconds: number[], atMost: number): Figure {
  const detail = { times: seconds.map((one) => round(one)).join(" "), p50: round(percentile(seconds, 0.5)) };
  return { key, what, value: round(Math.max(...seconds)), unit: "seconds", goal: { atMost }, detail };
}
