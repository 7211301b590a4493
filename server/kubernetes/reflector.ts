import { createBackoff } from "@/server/kubernetes/backoff";
import { type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock } from "@/server/kubernetes/clock";
import { type ErrorKind, KubernetesError } from "@/server/kubernetes/errors";
import { listAll, type Scope } from "@/server/kubernetes/lister";
import { offersWatchList } from "@/server/kubernetes/server-version";
import { createSlimmer } from "@/server/kubernetes/slim";
import { createStallGuard } from "@/server/kubernetes/stall-guard";
import { type Store, type StoreWriter } from "@/server/kubernetes/store";
import { isRefusedWatchList, oldViewError, watchOnce } from "@/server/kubernetes/watch-once";

/** So many newest-possible lists in a row that are older than what we saw: the server was restored from a backup. */
const OLDER_LISTS_MAX = 3;

/**
 * A server that answers a watch with 500 may have lost what our version needs, which only a list would mend. client-go
 * gives such a watch a time of its own, too; as long as the backoff remembers a failure is long enough for a restart.
 */
const INTERNAL_ERRORS_MS_MAX = 120_000;

export type Reflector = {
  start(): void;
  /** Ends what is under way, and resolves when nothing of it is left. */
  stop(): Promise<void>;
  /** Resolves when the first list has been handed to the store's listeners; rejects when stopped before that. */
  synced(): Promise<void>;
  state(): Readonly<ReflectorState>;
};

/** For health and metrics. `refused` counts events and lists that were older than what we knew. */
export type ReflectorState = {
  phase: "stopped" | "listing" | "watching" | "waiting";
  lists: number;
  watches: number;
  events: number;
  refused: number;
  stalls: number;
  lastError: string | null;
};

export type ReflectorOptions = Scope & {
  client: KubernetesClient;
  clock: Clock;
  store: Store & StoreWriter;
  random?: () => number;
  onError?: (error: unknown) => void;
};

type Next = "list" | "watch";

/** Keeps a store equal to a resource of the API server: list, then watch, over every fault of the line between them. */
export function createReflector(options: ReflectorOptions): Reflector {
  const { client, clock, store, random = Math.random, onError = () => undefined } = options;
  const state: ReflectorState = {
    phase: "stopped",
    lists: 0,
    watches: 0,
    events: 0,
    refused: 0,
    stalls: 0,
    lastError: null,
  };
  const slim = createSlimmer();
  const backoff = createBackoff(clock, random);
  const stall = createStallGuard(clock);
  const stopped = new AbortController();
  const first = deferred();
  let running: Promise<void> | null = null;
  let streamsLists: boolean | null = null;
  let failedStream = false;
  let olderLists = 0;
  /** Since when a watch has been answered with nothing but 500. */
  let internalSince: number | null = null;

  const onReplaced = () => {
    olderLists = 0;
    failedStream = false;
    internalSince = null;
    first.resolve();
  };

  const nextAfter = (error: unknown): Next => {
    if (state.phase !== "watching" || !(error instanceof KubernetesError) || !watchAgain.has(error.kind)) return "list";
    if (error.kind !== "internal") return "watch";
    internalSince ??= clock.monotonic();
    return clock.monotonic() - internalSince < INTERNAL_ERRORS_MS_MAX ? "watch" : "list";
  };

  const list = async (): Promise<Next> => {
    streamsLists ??= await offersWatchList(client, stopped.signal);
    if (streamsLists && !failedStream) return watch("initialEvents");
    state.phase = "listing";
    state.lists++;
    const { objects, resourceVersion, isNewest } = await listAll(client, options, store.resourceVersion, {
      signal: stopped.signal,
      transform: slim,
    });
    if (stopped.signal.aborted) return "list";
    const evenIfOlder = isNewest && olderLists >= OLDER_LISTS_MAX;
    if (store.replace(objects, resourceVersion, { evenIfOlder })) {
      onReplaced();
      return "watch";
    }
    if (isNewest) olderLists++;
    state.refused++;
    throw oldViewError(resourceVersion, store.resourceVersion);
  };

  const watch = async (from: "version" | "initialEvents"): Promise<Next> => {
    state.watches++;
    try {
      await watchOnce({ ...options, from, slim, stall, state, random, signal: stopped.signal, onReplaced });
      internalSince = null;
      return state.phase === "watching" ? "watch" : "list";
    } catch (error) {
      // A plain list is the surer way to a whole world, and knows what to do when its version is out of reach.
      if (from === "initialEvents" && state.phase === "listing") failedStream = true;
      if (from !== "initialEvents" || !isRefusedWatchList(error)) throw error;
      streamsLists = false;
      return "list";
    }
  };

  const isStopped = () => stopped.signal.aborted;
  const run = async () => {
    let next: Next = "list";
    while (!isStopped()) {
      try {
        next = next === "list" ? await list() : await watch("version");
      } catch (error) {
        if (isStopped()) break;
        next = nextAfter(error);
        state.phase = "waiting";
        state.lastError = error instanceof Error ? error.message : String(error);
        onError(error);
        await clock.sleep(waitOf(error, backoff.nextMs()), stopped.signal);
      }
    }
    state.phase = "stopped";
    first.reject(new Error(`the cache of ${options.api.plural} was stopped before it was filled`));
  };

  return {
    start: () => {
      if (!stopped.signal.aborted) running ??= run();
    },
    stop: async () => {
      stopped.abort();
      await running;
    },
    synced: () => first.promise,
    state: () => state,
  };
}

/** After these, the version that we hold is still good to watch from: a list would only burden a server in trouble. */
const watchAgain: ReadonlySet<ErrorKind> = new Set([
  "network",
  "timeout",
  "tooManyRequests",
  "unavailable",
  "internal",
]);

function waitOf(error: unknown, backoffMs: number): number {
  return error instanceof KubernetesError ? Math.max(error.retryAfterMs ?? 0, backoffMs) : backoffMs;
}

function deferred() {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // Nobody may be waiting when it is stopped early.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
