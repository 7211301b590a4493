import { type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock } from "@/server/kubernetes/clock";
import { createEventRecorder, type EventRecorder } from "@/server/kubernetes/event-recorder";
import { createLease, type Lease } from "@/server/kubernetes/lease";
import { createReflector } from "@/server/kubernetes/reflector";
import { createStore } from "@/server/kubernetes/store";
import { type Health } from "@/server/observability/health-server";
import { type Log, silentLog } from "@/server/observability/log";
import { createMetrics, type Metrics } from "@/server/observability/metrics";
import { createWorkerMetrics, type WorkerMetrics } from "@/server/observability/worker-metrics";
import { applyPlan } from "@/server/reconcile/apply";
import { type Cache, createCaches, type Caches } from "@/server/reconcile/caches";
import { CONCURRENCY } from "@/server/reconcile/concurrency";
import { createExpectations } from "@/server/reconcile/expectations";
import { type PassOutcome } from "@/server/reconcile/pass";
import { createQueue } from "@/server/reconcile/queue";
import { type AnyReconciler, type Key } from "@/server/reconcile/reconciler";
import { createKindRunner, wantsOf } from "@/server/reconcile/kind-runner";
import { type Runner } from "@/server/reconcile/runner";
import { createSyncWatch, waitingFor, type Waiting } from "@/server/reconcile/sync-watch";
import { createWriteGuard } from "@/server/reconcile/write-guard";

export type Worker = {
  start(): void;
  /** Ends what is under way, then gives the lease up. `abandon`: as a crash, nothing is finished and nothing given up. */
  stop(options?: { abandon?: boolean }): Promise<void>;
  isLeader(): boolean;
  /** Resolves when every cache has its first list. */
  synced(): Promise<void>;
  wake(kind: string, key: Key): void;
  /** No pass under way and none to begin; delayed keys, and those of a standby, do not count. */
  idle(): boolean;
  health(): Health;
  metrics: Metrics;
};

/** What a test may put in the place of a part. */
export type WorkerParts = {
  createQueue: typeof createQueue;
  createStore: typeof createStore;
  createReflector: typeof createReflector;
  createExpectations: typeof createExpectations;
  applyPlan: typeof applyPlan;
};

export type WorkerOptions = {
  client: KubernetesClient;
  clock: Clock;
  reconcilers: Readonly<Record<string, AnyReconciler>>;
  /** Our name in the lease: another one for each process. */
  identity: string;
  leaseNamespace: string;
  leaseName?: string;
  /** For the lease alone, with connections of its own: a flood of passes cannot delay a renewal then. */
  leaseClient?: KubernetesClient;
  /** The largest token that the history was written with: see LeaseOptions. */
  tokenAfter?: number;
  /** Instead of one of the worker's own. */
  lease?: Lease;
  /** Only this namespace; all of them unless told. */
  namespace?: string;
  /** Passes at the same time, per kind. */
  concurrency?: number;
  /** Called after every pass; must not block and may not fail the worker. */
  onPass?: (outcome: PassOutcome) => void;
  /** None of its kinds can run, however long it waits; the sentence says why and what to do. */
  onUseless?: (sentence: string) => void;
  log?: Log;
  metrics?: Metrics;
  random?: () => number;
  parts?: Partial<WorkerParts>;
};

/** Whoever holds it writes; the replicas of one installation share the name. */
const LEASE_NAME = "orrery-worker";
/** What is under way may take this long to end when the worker is stopped; controller-runtime's number. */
const DRAIN_MS_MAX = 30_000;
/** Events are news: worth a moment of the hand-over, not more. */
const EVENTS_MS_MAX = 1_000;

const defaultParts: WorkerParts = { createQueue, createStore, createReflector, createExpectations, applyPlan };

/** The reconcile process: watches fill caches, changes fill queues, and while we hold the lease, passes empty them. */
export function createWorker(options: WorkerOptions): Worker {
  const { clock, log = silentLog, metrics = createMetrics() } = options;
  const parts: WorkerParts = { ...defaultParts, ...options.parts };
  const numbers = createWorkerMetrics(metrics);
  const lease = options.lease ?? leaseOf(options, log);
  const refused = numbers.refusedWrites.of();
  const guard = createWriteGuard(lease, () => refused.add());
  const client = options.client.guarded(() => guard.check());
  const reconcilers = Object.values(options.reconcilers);
  const caches = createCaches({
    client,
    clock,
    wants: reconcilers.flatMap(wantsOf),
    namespace: options.namespace,
    random: options.random,
    onError: (error, { api }) => log.warn("a watch failed and is tried again", { resource: api.plural, error }),
    createStore: parts.createStore,
    createReflector: parts.createReflector,
  });
  const recorder = createEventRecorder({
    client,
    clock,
    component: "orrery",
    instance: options.identity,
    onError: (error) => log.warn("an event could not be recorded", { error }),
  });
  const concurrency = options.concurrency ?? CONCURRENCY;
  const shared = {
    client,
    clock,
    log,
    caches,
    recorder,
    parts,
    guard,
    numbers,
    concurrency,
    random: options.random,
    onPass: options.onPass,
  };
  const token = () => lease.token;
  const runners = new Map(
    reconcilers.map((reconciler) => [reconciler.id, createKindRunner({ ...shared, token, reconcilers, reconciler })]),
  );
  const unsubscribe = lease.onChange((held) => {
    log.info(held ? "this worker leads" : "this worker stands by", { identity: options.identity, fence: lease.token });
    for (const runner of runners.values()) runner.pump();
  });
  observe(numbers, { caches, lease, recorder });
  const kinds = reconcilers.map((reconciler) => ({
    id: reconciler.id,
    caches: wantsOf(reconciler).map((want) => caches.of(want)),
  }));
  const syncWatch = createSyncWatch({
    clock,
    log,
    kinds,
    onLate: (cache) => numbers.cacheLate.of(labelsOf(cache)).add(),
    onNone: (sentence) => options.onUseless?.(sentence),
  });

  return {
    metrics,
    start: () => {
      caches.start();
      syncWatch.start();
      lease.start();
    },
    stop: async ({ abandon = false } = {}) => {
      syncWatch.stop();
      if (abandon) guard.close();
      const drained = Promise.all([...runners.values()].map((runner) => runner.stop()));
      if (!abandon) await within(clock, DRAIN_MS_MAX, drained);
      if (!abandon) await within(clock, EVENTS_MS_MAX, recorder.drain());
      guard.close();
      unsubscribe();
      await Promise.all([lease.stop({ abandon }), recorder.stop(), caches.stop()]);
    },
    isLeader: () => lease.isHeld(),
    synced: () => caches.synced(),
    wake: (kind, key) => runnerOf(runners, kind).wake(key),
    idle: () => [...runners.values()].every((runner) => runner.idle()),
    health: () => healthOf(caches, lease, kinds),
  };
}

function leaseOf(options: WorkerOptions, log: Log): Lease {
  return createLease({
    client: options.leaseClient ?? options.client,
    clock: options.clock,
    namespace: options.leaseNamespace,
    name: options.leaseName ?? LEASE_NAME,
    identity: options.identity,
    tokenAfter: options.tokenAfter,
    random: options.random,
    onError: (error) => log.warn("the lease could not be renewed or won", { error }),
  });
}

function runnerOf(runners: Map<string, Runner>, kind: string): Runner {
  const runner = runners.get(kind);
  if (runner) return runner;
  throw new Error(`there is no kind ${kind}; there are ${[...runners.keys()].join(", ")}`);
}

function observe(
  numbers: WorkerMetrics,
  { caches, lease, recorder }: { caches: Caches; lease: Lease; recorder: EventRecorder },
): void {
  numbers.onScrape(() => {
    numbers.leading.of({ name: LEASE_NAME }).set(lease.isHeld() ? 1 : 0);
    numbers.leaseToken.of().set(lease.token);
    const { written, dropped, spam } = recorder.state();
    for (const [outcome, count] of Object.entries({ written, dropped, spam }))
      numbers.recorded.of({ outcome }).set(count);
    for (const cache of caches.all) {
      const { store, reflector } = cache;
      const labels = labelsOf(cache);
      const state = reflector.state();
      numbers.cacheObjects.of(labels).set(store.size);
      numbers.cacheSynced.of(labels).set(store.synced ? 1 : 0);
      numbers.lists.of(labels).set(state.lists);
      numbers.watches.of(labels).set(state.watches);
      numbers.watchEvents.of(labels).set(state.events);
      numbers.watchRefused.of(labels).set(state.refused);
      numbers.watchStalls.of(labels).set(state.stalls);
    }
  });
}

function labelsOf({ api, labelSelector = "" }: Cache): Record<string, string> {
  return { resource: api.plural, group: api.group, selector: labelSelector };
}

/** A standby with warm caches is ready: it would take over at once. */
function healthOf(caches: Caches, lease: Lease, kinds: readonly Waiting[]): Health {
  const missing = caches.all.filter(({ store }) => !store.synced);
  const detail = {
    leading: lease.isHeld(),
    holder: lease.holder(),
    caches: { synced: caches.all.length - missing.length, of: caches.all.length },
    waitingFor: missing.map((cache) => ({
      resource: cache.api.plural,
      kinds: waitingFor(kinds, cache),
      error: cache.reflector.state().lastError,
    })),
  };
  return { alive: true, ready: missing.length === 0, detail };
}

/** Resolves with the promise, or when the time is up. */
async function within(clock: Clock, ms: number, promise: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  await Promise.race([promise.finally(() => ended.abort()), clock.sleep(ms, ended.signal)]);
}
