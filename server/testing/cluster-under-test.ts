import { createClient } from "@/server/kubernetes/client";
import { createVirtualClock, systemClock, type Clock } from "@/server/kubernetes/clock";
import { apis } from "@/server/kubernetes/apis";
import { type Api } from "@/server/kubernetes/object";
import { type Connection } from "@/server/kubernetes/connection";
import { createSandbox } from "@/server/sandbox/sandbox";
import { type Stage } from "@/server/testing/stage";

/** Where scenarios run: how time passes there, and how to know that nothing is under way. */
export type ClusterUnderTest = {
  connection: Connection;
  clock: Clock;
  /** Lets so much time pass for the worker on this stage, and returns when it has come to rest. */
  pass(stage: Stage, ms: number): Promise<void>;
  bytesWritten: () => Iterable<[number, number]>;
  isIdle: () => boolean;
  /** Runs at the same time. */
  plays: number;
  /** Removes what a run has left. */
  clear(namespace: string, kinds: readonly Api[]): Promise<void>;
  stop(): Promise<void>;
};

/** Ends what hangs; nothing is measured with it. */
const REST_LIMIT_MS = 60_000;
const TURN_MS_MAX = 1_000;
/** On a real cluster: longer than an event takes from the server to the worker on a busy machine. */
const REAL_REST_MS = 2_000;
/** While the worker waits for a time of its own: longer than the first wait after a failure (5 s), which is no rest. */
const REAL_RETRY_MS = 8_000;
/** Most of a run is waiting there. */
const REAL_PLAYS_MAX = 16;

/** The sandbox on a virtual clock: minutes pass in milliseconds, and rest is exact. Pods are played only if asked for. */
export async function virtualCluster({ playsPods = false } = {}): Promise<ClusterUnderTest> {
  let staged: Stage | null = null;
  const clock = createVirtualClock({ quiet: () => (staged ? atRest(staged) : nextTurn()) });
  const sandbox = await createSandbox({ clock, anonymousAdmin: true, ...(!playsPods && { kubelet: false }) });
  return {
    connection: sandbox.connection(),
    clock,
    pass: async (stage, ms) => {
      staged = stage;
      try {
        await clock.advance(ms);
      } finally {
        staged = null;
      }
    },
    bytesWritten: () => [...sandbox.sockets()].map((socket) => [socket.remotePort ?? 0, socket.bytesWritten]),
    isIdle: () => sandbox.idle(),
    // They share the clock, and it moves only when all is at rest.
    plays: 1,
    // It goes as a whole.
    clear: async () => undefined,
    stop: () => sandbox.stop(),
  };
}

/** A cluster in other processes, in real time: rest is a time without any news. */
export function realCluster(connection: Connection): ClusterUnderTest {
  return {
    connection,
    clock: systemClock,
    pass: async (stage) => {
      for (let seen: number | null = null, since = performance.now(); ;) {
        const mark = stage.mark();
        if (mark === null || mark !== seen) since = performance.now();
        if (performance.now() - since > (stage.waitsForTime() ? REAL_RETRY_MS : REAL_REST_MS)) return;
        seen = mark;
        await systemClock.sleep(50);
      }
    },
    bytesWritten: () => [],
    isIdle: () => true,
    plays: REAL_PLAYS_MAX,
    clear: (namespace, kinds) => clear(connection, namespace, kinds),
    stop: async () => undefined,
  };
}

/** A client of the user's own: his requests are not the worker's, and wait in real time. */
export function userClient(cluster: ClusterUnderTest) {
  return createClient({ connection: cluster.connection, clock: systemClock });
}

/** Nobody is left who would take the finalizers off. */
async function clear(connection: Connection, namespace: string, kinds: readonly Api[]): Promise<void> {
  const client = createClient({ connection, clock: systemClock });
  for (const api of kinds) {
    const { items } = await client.list(api, { namespace });
    for (const { metadata } of items) {
      if (metadata.finalizers) await client.patch(api, metadata, { metadata: { finalizers: null } }, { type: "merge" });
    }
  }
  await client.delete(apis.namespace, { name: namespace });
  await client.close();
}

/** Resolves when nothing is under way, and still nothing after what was already on its way has been handled. */
async function atRest(stage: Stage): Promise<void> {
  let [spentMs, seenMs] = [0, performance.now()];
  while (spentMs < REST_LIMIT_MS) {
    const mark = stage.mark();
    await nextTurn();
    if (mark !== null && stage.mark() === mark) return;
    // A machine that was put to sleep in between has spent no time on it.
    const nowMs = performance.now();
    spentMs += Math.min(nowMs - seenMs, TURN_MS_MAX);
    seenMs = nowMs;
  }
  throw new Error(`never at rest: ${JSON.stringify(stage.describe())}`);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
