import { type Clock } from "@/server/kubernetes/clock";
import { type Change } from "@/server/kubernetes/store";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Log } from "@/server/observability/log";
import { conflictDelayMs, transientDelayMs } from "./backoff";
import { type Cache } from "./caches";
import { createEchoes } from "./echoes";
import { type Expectations } from "./expectations";
import { type PassOutcome, type Verdict } from "./pass";
import { type createQueue, type Priority, type Queue } from "./queue";
import { type AnyReconciler, type Key, type Watch } from "./reconciler";
import { createRunnerMetrics, type RunnerMetrics } from "./runner-metrics";
import { type WorkerMetrics } from "@/server/observability/worker-metrics";
import { type World } from "./world";

/** Keys of one kind on their way through the queue, a few at a time. */
export type Runner = {
  /** Looks at the queue again: called when the worker starts to lead. */
  pump(): void;
  wake(key: Key, priority?: Priority): void;
  /** Takes nothing new and resolves when what is under way has ended. */
  stop(): Promise<void>;
  /** No pass under way, and no key that could be taken; delayed ones, and those of a standby, do not count. */
  idle(): boolean;
  processing(): number;
};

export type RunnerOptions = {
  reconciler: AnyReconciler;
  clock: Clock;
  log: Log;
  metrics: WorkerMetrics;
  /** Passes at the same time. */
  concurrency: number;
  own: Cache;
  watched: readonly (Watch & { cache: Cache })[];
  expectations: Expectations;
  worldAt(now: number): World;
  /** Passes run only while this is true. */
  mayRun(): boolean;
  pass(key: Key, object: KubernetesObject | null, log: Log): Promise<{ outcome: PassOutcome; verdict: Verdict }>;
  onPass?: (outcome: PassOutcome) => void;
  createQueue: typeof createQueue;
};

/**
 * How much of the places the start-up flood may take, so that a user's change finds one at once; while such a change is
 * worked on, the flood goes on with a single one, since its writes slow those of the change down at the server.
 */
const LOW_SHARE = 0.2;
/** Changes come in a row, by a script or by a hand that goes on: for so long the flood stays out of the way of the next. */
const LINGER_MS = 1_000;
/** Passes over converged resources await nothing but promises: the flood gives way to sockets this often. */
const SLICE_MS = 4;
/** The watch event wakes a key that waits for it; this only covers a cache that never shows the write. */
const PARKED_RECHECK_MS = 1_000;

export function createRunner(options: RunnerOptions): Runner {
  const { reconciler, clock, own, expectations } = options;
  const log = options.log.with({ kind: reconciler.id });
  const echoes = createEchoes();
  const parked = new Set<string>();
  const lowMax = Math.max(1, Math.floor(options.concurrency * LOW_SHARE));
  let drained: (() => void) | null = null;
  let active = 0;
  let lowActive = 0;
  let lastNormalMs = -Infinity;
  let scheduled = false;
  let stopped = false;
  let sliceStartMs = 0;
  let sliceOver = false;

  // Once per turn, after all events of a chunk are in the cache: a burst of changes becomes one pass. Not by Node's
  // queueMicrotask, which makes a resource for its hooks each time.
  const now = Promise.resolve();
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    void now.then(pump);
  };
  const metrics: RunnerMetrics = createRunnerMetrics(options.metrics, reconciler.id, options.concurrency, clock);
  const queue: Queue = options.createQueue({ clock, observer: { ...metrics.observer, onReady: schedule } });
  metrics.onScrape(queue);

  function pump(): void {
    scheduled = false;
    while (!stopped && active < options.concurrency && options.mayRun()) {
      if (queue.ready("normal") === 0 && queue.ready("low") > 0 && sliceIsOver()) return;
      const key = queue.take(lowActive < (isAnybodyAtWork() ? 1 : lowMax) ? "low" : "normal");
      if (key === undefined) return;
      void run(key, queue.priorityOf(key));
    }
  }

  function isAnybodyAtWork(): boolean {
    return active > lowActive || clock.monotonic() - lastNormalMs < LINGER_MS;
  }

  function sliceIsOver(): boolean {
    if (sliceOver) return true;
    if (sliceStartMs === 0) sliceStartMs = clock.monotonic();
    if (clock.monotonic() - sliceStartMs < SLICE_MS) return false;
    sliceOver = true;
    setImmediate(() => {
      sliceOver = false;
      sliceStartMs = 0;
      schedule();
    });
    return true;
  }

  async function run(id: string, priority: Priority): Promise<void> {
    const low = priority === "low" ? 1 : 0;
    active += 1;
    lowActive += low;
    const startedMs = metrics.begin(id);
    try {
      await runOnce(id, startedMs);
    } catch (error) {
      metrics.panic();
      log.error("a pass ended in an exception of our own", { key: id, error });
      queue.retry(id, transientDelayMs);
    } finally {
      active -= 1;
      lowActive -= low;
      if (low === 0) lastNormalMs = clock.monotonic();
      metrics.end(id, startedMs);
      queue.done(id);
      schedule();
      if (active === 0) drained?.();
    }
  }

  async function runOnce(id: string, startedMs: number): Promise<void> {
    parked.delete(id);
    if (!expectations.met(id)) {
      metrics.park();
      parked.add(id);
      queue.addAfter(id, PARKED_RECHECK_MS);
      return;
    }
    const key = keyOf(id);
    const object = own.store.get(key) ?? null;
    echoes.begin(id);
    let verdict: Verdict = { type: "abandoned" };
    let wrote: string | undefined;
    try {
      const done = await options.pass(key, object, log);
      verdict = done.verdict;
      wrote = versionWritten(done.outcome);
      metrics.passed(done, clock.monotonic() - startedMs);
      tell(done.outcome);
    } finally {
      const again = echoes.end(id, wrote, verdict.type === "transient" ? null : queue.priorityOf(id));
      if (again) queue.add(id, again);
      settle(id, verdict);
    }
  }

  function settle(id: string, verdict: Verdict): void {
    // The table is keyed by the verdict's own type; TypeScript does not relate the two.
    (verdicts[verdict.type] as (id: string, verdict: Verdict) => void)(id, verdict);
  }

  const verdicts: { [T in Verdict["type"]]: (id: string, verdict: Extract<Verdict, { type: T }>) => void } = {
    settled: (id, { againInMs }) => {
      queue.forget(id);
      if (againInMs !== null) queue.addAfter(id, againInMs);
    },
    gone: (id) => {
      expectations.forget(id);
      echoes.forget(id);
      queue.drop(id);
    },
    conflict: (id) => void queue.retry(id, conflictDelayMs),
    transient: (id, { notBeforeMs }) => void queue.retry(id, (n) => Math.max(transientDelayMs(n), notBeforeMs)),
    permanent: (id) => queue.forget(id),
    abandoned: (id) => queue.add(id, queue.priorityOf(id)),
  };

  function tell(outcome: PassOutcome): void {
    try {
      options.onPass?.(outcome);
    } catch (error) {
      log.error("nobody took note of a pass", { pass: outcome.id, key: idOf(outcome.key), error });
    }
  }

  const release = () => {
    for (const id of parked) {
      if (!expectations.met(id)) continue;
      parked.delete(id);
      queue.add(id);
    }
  };

  const unsubscribe = [
    own.store.subscribe((change) => {
      const { object } = change;
      const id = idOf({ namespace: object.metadata.namespace ?? "", name: object.metadata.name });
      const initial = change.type === "added" && change.initial;
      const priority = initial ? "low" : echoes.heard(id, versionOf(change));
      if (priority) queue.add(id, priority);
      if (parked.size > 0) release();
    }),
    ...options.watched.map(({ cache, keysOf }) =>
      cache.store.subscribe((change) => {
        const priority: Priority = change.type === "added" && change.initial ? "low" : "normal";
        const world = options.worldAt(clock.now());
        wakeAll(keysOf(change.object, world, change), priority);
        if (change.type === "updated") wakeAll(keysOf(change.old, world, change), priority);
        if (parked.size > 0) release();
      }),
    ),
  ];

  function wakeAll(keys: Key[] | Promise<Key[]>, priority: Priority): void {
    if (Array.isArray(keys)) {
      for (const key of keys) queue.add(idOf(key), priority);
      return;
    }
    keys.then(
      (found) => wakeAll(found, priority),
      (error: unknown) => log.error("keysOf failed; a resource may wait for its next change", { error }),
    );
  }

  return {
    pump: schedule,
    wake: (key, priority) => queue.add(idOf(key), priority),
    stop: async () => {
      stopped = true;
      for (const end of unsubscribe) end();
      queue.close();
      if (active > 0) await new Promise<void>((resolve) => (drained = resolve));
    },
    idle: () => active === 0 && (stopped || !options.mayRun() || queue.ready("low") + queue.ready("normal") === 0),
    processing: () => active,
  };
}

function versionWritten({ object, resourceAfter }: PassOutcome): string | undefined {
  const version = resourceAfter?.metadata.resourceVersion;
  return version === object?.metadata.resourceVersion ? undefined : version;
}

/** A deletion is nobody's echo. */
function versionOf(change: Change): string | undefined {
  return change.type === "deleted" ? undefined : change.object.metadata.resourceVersion;
}

function idOf({ namespace, name }: Key): string {
  return `${namespace}/${name}`;
}

function keyOf(id: string): Key {
  const slash = id.indexOf("/");
  return { namespace: id.slice(0, slash), name: id.slice(slash + 1) };
}
