import { type Clock, type Timer } from "@/server/kubernetes/clock";

/**
 * controller-runtime's SyncPeriod, give or take a tenth so that the kinds do not come together. It asks the server for
 * nothing: drift is seen by the watches, and what has to be asked for is looked at by `requeueAfterMs`. It heals what no
 * change would wake: an event that `keysOf` failed on, or a failure for good whose cause somebody has mended elsewhere.
 */
const RESYNC_MS = 36_000_000;
const RESYNC_JITTER = 0.1;

/** Calls `wakeAll` every now and then; it begins with its start and ends with its stop. */
export function createResync(options: { clock: Clock; random?: () => number; wakeAll: () => void }) {
  const { clock, random = Math.random, wakeAll } = options;
  let timer: Timer | null = null;

  const arm = () => {
    const spread = RESYNC_JITTER * (2 * random() - 1);
    timer = clock.setTimeout(
      () => {
        wakeAll();
        arm();
      },
      RESYNC_MS * (1 + spread),
    );
  };

  return { start: arm, stop: () => timer?.cancel() };
}
