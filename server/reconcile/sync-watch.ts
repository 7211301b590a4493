import { type Clock } from "@/server/kubernetes/clock";
import { type Log } from "@/server/observability/log";
import { type Cache } from "./caches";

/**
 * controller-runtime's CacheSyncTimeout. There the process ends when one cache is late; here a kind waits for its own
 * caches only, so what is late is told, and the process is given up only when none of its kinds can run.
 */
const CACHE_SYNC_MS_MAX = 120_000;

/** A kind and the caches that it waits for. */
export type Waiting = { id: string; caches: readonly Cache[] };

type SyncWatchOptions = {
  clock: Clock;
  log: Log;
  kinds: readonly Waiting[];
  /** Told once of each cache that is late. */
  onLate: (cache: Cache) => void;
  /** No kind can run: the worker is of no use. The sentence says why. */
  onNone: (sentence: string) => void;
};

/** Looks once, when the time for the first lists is over, at what is still missing. */
export function createSyncWatch({ clock, log, kinds, onLate, onNone }: SyncWatchOptions) {
  const all = [...new Set(kinds.flatMap(({ caches }) => caches))];
  const stopped = new AbortController();

  const look = () => {
    const late = all.filter(({ store }) => !store.synced);
    for (const cache of late) tell(cache);
    const isWaiting = ({ caches }: Waiting) => caches.some((cache) => late.includes(cache));
    if (late.length > 0 && kinds.every(isWaiting)) onNone(sentenceOf(late));
  };

  const tell = (cache: Cache) => {
    const about = { resource: cache.api.plural, kinds: waitingFor(kinds, cache) };
    onLate(cache);
    log.error("a cache is not filled in time, and its kinds wait for it", { ...about, error: errorOf(cache) });
    cache.reflector.synced().then(
      () => log.info("a cache that was late is filled, and its kinds begin", about),
      () => undefined, // stopped before that
    );
  };

  return {
    start: () => {
      void clock.sleep(CACHE_SYNC_MS_MAX, stopped.signal).then(() => {
        if (!stopped.signal.aborted) look();
      });
    },
    stop: () => stopped.abort(),
  };
}

/** The kinds that cannot run before this cache is filled. */
export function waitingFor(kinds: readonly Waiting[], cache: Cache): string[] {
  return kinds.filter(({ caches }) => caches.includes(cache)).map(({ id }) => id);
}

function sentenceOf(late: readonly Cache[]): string {
  const causes = late.map((cache) => `${cache.api.plural} (${errorOf(cache)})`).join(", ");
  return `No kind can be looked after: after ${CACHE_SYNC_MS_MAX / 1_000} s the cluster has not listed ${causes}; check that it answers, and that this user may list and watch what deploy/rbac.yaml names.`;
}

function errorOf({ reflector }: Cache): string {
  return reflector.state().lastError ?? "no answer yet";
}
