import { type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock } from "@/server/kubernetes/clock";
import { type Connection } from "@/server/kubernetes/connection";
import { createLease, type Lease, type LeaseOptions } from "@/server/kubernetes/lease";
import { createCountedClient, type Traffic } from "@/server/testing/counted-client";
import { createFaultProxy, type ProxiedWrite } from "@/server/testing/fault-proxy";
import { type FaultPlan } from "@/server/testing/faults";
import { createFrozenStore } from "@/server/testing/frozen-store";
import { heldLease } from "@/server/testing/held-lease";
import { type Key } from "@/server/reconcile/reconciler";
import { createReplayCheck } from "@/server/testing/replay-check";
import { type Scenario } from "@/server/testing/scenario";
import { createWatchedClock } from "@/server/testing/watched-clock";
import { createWorker, type Worker } from "@/server/worker";

type Life = { worker: Worker; client: KubernetesClient; traffic: Traffic };

/** One worker behind one proxy, which starts again whenever a fault has killed it. */
export async function createStage(options: {
  scenario: Scenario;
  plan: FaultPlan | null;
  upstream: Connection;
  clock: Clock;
  namespace: string;
  /** Bytes that the API server has written, by the port of the other side; empty when it is in another process. */
  bytesWritten: () => Iterable<[port: number, bytes: number]>;
  clusterIsIdle: () => boolean;
}) {
  const { scenario, plan, upstream, namespace } = options;
  const { clock, waiting } = createWatchedClock(options.clock);
  const violations: string[] = [];
  const history = createReplayCheck(scenario.reconcilers());
  const ends: Promise<unknown>[] = [];
  let lives = 0;
  let life: Life | null = null;
  let isOver = false;

  const end = async ({ worker, client }: Life, abandon: boolean) => {
    const stopped = worker.stop({ abandon });
    if (abandon) await client.close();
    await stopped;
    await client.close();
  };

  const proxy = await createFaultProxy({
    upstream,
    clock,
    plan,
    onCrash: () => {
      if (!life) return;
      const dead = end(life, true).then(() => {
        if (!isOver) begin();
      });
      life = null;
      ends.push(dead);
    },
    onWrite: (write) => check(scenario, write, violations),
  });

  const begin = () => {
    lives++;
    const { client: plain, traffic } = createCountedClient(proxy.connection(), clock);
    const { wrapClient = (given: KubernetesClient) => given, ...changed } = scenario.worker ?? {};
    const client = wrapClient(plain);
    const worker = createWorker({
      client,
      clock,
      reconcilers: scenario.reconcilers(),
      identity: `worker-${lives}`,
      leaseNamespace: namespace,
      lease: leaseOf(scenario, { client, clock, namespace, name: "orrery-worker", identity: `worker-${lives}` }, lives),
      namespace,
      random: seededRandom(lives),
      ...changed,
      parts: { createStore: createFrozenStore, ...changed.parts },
      onPass: (outcome) => {
        changed.onPass?.(outcome);
        history.onPass(outcome);
      },
    });
    life = { worker, client, traffic };
    worker.start();
  };

  /** Null while anything is under way; else a number that changes with everything that happens. */
  const mark = (): number | null => {
    if (!life || !options.clusterIsIdle() || proxy.busy() > 0) return null;
    const { traffic, worker } = life;
    // A pass that waits for time or for an answer that never comes is at rest until time passes.
    if (worker.isLeader() && !worker.idle() && traffic.sleeping + proxy.held() === 0) return null;
    if (traffic.waiting !== proxy.held()) return null;
    for (const [id, { bytesSent, ended }] of proxy.streams) {
      if (ended ? traffic.streams.has(id) : traffic.streams.get(id) !== bytesSent) return null;
    }
    const arrived = proxy.bytesRead();
    for (const [port, bytes] of options.bytesWritten())
      if (arrived.has(port) && arrived.get(port) !== bytes) return null;
    return traffic.total + proxy.events() + proxy.writes.length + lives * 1_000_000;
  };

  return {
    start: begin,
    /** Has one resource looked at, as if something had changed. */
    wake: (kind: string, key: Key) => life?.worker.wake(kind, key),
    mark,
    /** A retry or a look to come: only on a clock that moves by itself is that not yet rest. */
    waitsForTime: () => waiting() > 0,
    writes: proxy.writes,
    events: () => proxy.events(),
    newsAtMs: () => proxy.newsAtMs(),
    fired: () => proxy.fired(),
    /** What broke an invariant, and where the history of the passes does not fold to the states that were stored. */
    violations: () => [...violations, ...history.divergences()],
    describe: () => ({
      alive: life !== null,
      idle: life?.worker.idle(),
      cluster: options.clusterIsIdle(),
      busy: proxy.busy(),
      held: proxy.held(),
      waiting: life?.traffic.waiting,
      streams: [...proxy.streams].filter(([, stream]) => !stream.ended),
      taken: [...(life?.traffic.streams ?? [])],
    }),
    stop: async () => {
      isOver = true;
      if (life) await end(life, true);
      await Promise.all(ends);
      await proxy.stop();
    },
  };
}

export type Stage = Awaited<ReturnType<typeof createStage>>;

function leaseOf(scenario: Scenario, options: LeaseOptions, token: number): Lease {
  return scenario.lease ? scenario.lease(createLease(options)) : heldLease(token);
}

function check(scenario: Scenario, write: ProxiedWrite, violations: string[]) {
  for (const [name, holds] of Object.entries(scenario.invariants ?? {})) {
    const violation = holds(write);
    if (violation !== null) violations.push(`write ${write.number} breaks "${name}": ${violation}`);
  }
}

/** The same numbers in every run of the same life. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
