import { randomUUID } from "node:crypto";
import { apis } from "@/server/kubernetes/apis";
import { type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock } from "@/server/kubernetes/clock";
import { type EventRecorder } from "@/server/kubernetes/event-recorder";
import { type Api, apiVersionOf } from "@/server/kubernetes/object";
import { type Log } from "@/server/observability/log";
import { type WorkerMetrics } from "@/server/observability/worker-metrics";
import { createAppliedMemory } from "./applied-memory";
import { type ApplyDeps, type applyPlan } from "./apply";
import { createCachedWorld } from "./cached-world";
import { type Caches, holding, type Want } from "./caches";
import { type createExpectations } from "./expectations";
import { liveOver } from "./live-world";
import { pass, type PassOutcome, type Verdict } from "./pass";
import { openPassRight } from "./pass-right";
import { refOf } from "./planned-write";
import { type createQueue } from "./queue";
import { type AnyReconciler, type Key } from "./reconciler";
import { createResync } from "./resync";
import { createRunner, type Runner } from "./runner";
import { type WriteGuard } from "./write-guard";

export type KindRunnerOptions = {
  reconciler: AnyReconciler;
  /** All of them: an effect may name a kind of another reconciler. */
  reconcilers: readonly AnyReconciler[];
  client: KubernetesClient;
  clock: Clock;
  log: Log;
  caches: Caches;
  recorder: EventRecorder;
  numbers: WorkerMetrics;
  concurrency: number;
  guard: WriteGuard;
  token(): number;
  random?: () => number;
  onPass?: (outcome: PassOutcome) => void;
  parts: {
    createQueue: typeof createQueue;
    createExpectations: typeof createExpectations;
    applyPlan: typeof applyPlan;
  };
};

/** The runner of one kind, wired to the caches that its reconciler reads. */
export function createKindRunner(options: KindRunnerOptions): Runner {
  const { reconciler, client, clock, caches } = options;
  const { api } = reconciler.kind;
  const own = caches.of({ api });
  const watched = reconciler.watches.map((watch) => ({ ...watch, cache: caches.of(watch) }));
  const visible = [own, ...watched.map(({ cache }) => cache)];
  const expectations = options.parts.createExpectations();
  const worldAt = createCachedWorld(reconciler, caches, liveOver(client, clock));
  const applied = createAppliedMemory();
  for (const { store } of visible) {
    store.subscribe(({ type, object }) => {
      if (type === "deleted") applied.forget(object.metadata.uid ?? "");
    });
  }
  const cacheOf: ApplyDeps["cacheOf"] = (of, object) => holding(visible, of, object)?.store;
  const apiOf = apiFinder(options.reconcilers);

  const run = async (key: Key, object: PassOutcome["object"], log: Log) => {
    const id = randomUUID();
    const name = `${key.namespace}/${key.name}`;
    const right = openPassRight(options.guard, clock);
    const at = clock.now();
    let resourceAfter = object;
    const applyDeps: ApplyDeps = {
      client: client.guarded(() => right.check()),
      check: () => right.check(),
      clock,
      apiOf,
      cacheOf,
      applied,
      onWrote: (of, written) => {
        if (of === api && written.metadata.uid === object?.metadata.uid) resourceAfter = written;
        const cache = cacheOf(of, written);
        if (cache) expectations.wrote(name, cache, written);
      },
      onDeleted: (of, target) => {
        const cache = cacheOf(of, target);
        if (cache) expectations.deleted(name, cache, target);
      },
      emit: (about, { severity, reason, message }) => {
        right.check();
        options.recorder.record({ about: refOf(about), severity, reason, message });
      },
    };
    const deps = {
      reconciler,
      api,
      clock,
      worldAt,
      apply: options.parts.applyPlan,
      applyDeps,
      token: () => options.token(),
    };
    // Most passes have nothing to say.
    const about = () => log.with({ pass: id, key: name });
    const ended = (message: string) =>
      failed({ id, kind: reconciler.id, key, object, resourceAfter, at, token: options.token() }, message);
    const running = pass(deps, { id, key, object }).catch((error: unknown) => {
      options.numbers.panics.of({ controller: reconciler.id }).add();
      about().error("a pass ended in an exception of our own", { error });
      return ended(`the pass ended in an exception: ${String(error)}`);
    });
    const givenUp = right.timeUp.then(({ message }) => {
      options.numbers.timeouts.of({ controller: reconciler.id }).add();
      return ended(message);
    });
    try {
      const done = await Promise.race([running, givenUp]);
      report(about, done);
      return done;
    } finally {
      right.close();
    }
  };

  let ready = false;
  let stopped = false;
  const runner = createRunner({
    reconciler,
    clock,
    log: options.log,
    metrics: options.numbers,
    concurrency: options.concurrency,
    own,
    watched,
    expectations,
    worldAt,
    mayRun: () => ready && options.guard.mayWrite(),
    pass: run,
    onPass: options.onPass,
    createQueue: options.parts.createQueue,
  });
  const resync = createResync({
    clock,
    random: options.random,
    wakeAll: () => {
      for (const { metadata } of own.store.list()) {
        runner.wake({ namespace: metadata.namespace ?? "", name: metadata.name }, "low");
      }
    },
  });
  // A kind waits for its own caches only: one CustomResourceDefinition that is missing does not stop the others.
  Promise.all(visible.map(({ reflector }) => reflector.synced())).then(
    () => {
      ready = true;
      if (!stopped) resync.start();
      runner.pump();
    },
    () => undefined, // stopped before the first list was in
  );
  return {
    ...runner,
    stop: () => {
      stopped = true;
      resync.stop();
      return runner.stop();
    },
  };
}

/** How a pass ends that did not come to an end of its own: it is tried again, after a while. */
function failed(
  known: Pick<PassOutcome, "id" | "kind" | "key" | "object" | "resourceAfter" | "at" | "token">,
  message: string,
): { outcome: PassOutcome; verdict: Verdict } {
  return {
    outcome: { ...known, known: {}, plan: null, writes: [], error: message },
    verdict: { type: "transient", message, notBeforeMs: 0 },
  };
}

/** What a reconciler needs to be cached. */
export function wantsOf(reconciler: AnyReconciler): Want[] {
  return [
    { api: reconciler.kind.api },
    ...reconciler.watches.map(({ api, labelSelector }) => ({ api, labelSelector })),
  ];
}

function apiFinder(reconcilers: readonly AnyReconciler[]): ApplyDeps["apiOf"] {
  const known = new Map<string, Api>();
  for (const api of [...Object.values(apis), ...reconcilers.flatMap((one) => wantsOf(one).map((want) => want.api))]) {
    known.set(`${apiVersionOf(api)} ${api.kind}`, api);
  }
  return (apiVersion, kind) => {
    const api = known.get(`${apiVersion} ${kind}`);
    if (!api) throw new Error(`nobody knows where ${kind} of ${apiVersion} is served`);
    return api;
  };
}

/** Why a pass ended, on the line of its own log. */
function report(log: () => Log, { outcome, verdict }: { outcome: PassOutcome; verdict: Verdict }): void {
  for (const [lifecycle, { from, to, actions }] of Object.entries(outcome.plan?.steps ?? {})) {
    if (from !== to) log().info("step", { lifecycle, from, to, actions });
  }
  for (const { sentence, outcome: how, ms } of outcome.writes) log().debug("write", { sentence, how, ms });
  if ("message" in verdict)
    log()[verdict.type === "conflict" ? "debug" : "warn"](`${verdict.type}: ${verdict.message}`);
}
