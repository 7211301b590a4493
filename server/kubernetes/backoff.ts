import { type Clock } from "@/server/kubernetes/clock";

/** client-go's reflector: together about 0.22 requests a second against a server that is down. */
const BACKOFF_START_MS = 800;
const BACKOFF_FACTOR = 2;
const BACKOFF_MAX_MS = 30_000;
/** Up to twice the delay, so that many watchers of one server do not come back together. */
const BACKOFF_JITTER = 1;
/** Healthy for this long: the next failure is a new one. */
const BACKOFF_RESET_MS = 120_000;

/** Delays between tries against one server. */
export function createBackoff(clock: Pick<Clock, "monotonic">, random: () => number) {
  let failures = 0;
  let lastFailureAt = -Infinity;
  return {
    /** How long to wait after this failure. */
    nextMs: (): number => {
      if (clock.monotonic() - lastFailureAt > BACKOFF_RESET_MS) failures = 0;
      const delay = Math.min(BACKOFF_MAX_MS, BACKOFF_START_MS * BACKOFF_FACTOR ** failures);
      const jittered = delay * (1 + BACKOFF_JITTER * random());
      failures++;
      lastFailureAt = clock.monotonic() + jittered;
      return jittered;
    },
  };
}
