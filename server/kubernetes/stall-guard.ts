import { type Clock, type Timer } from "@/server/kubernetes/clock";

/** Servers send a bookmark about every 60 s (61.25 s on 1.20), and keep at least 75 s of history: between the two. */
const STALL_MS = 70_000;
/** As long as the longest watch: there, the server ends it anyway. */
const SILENCE_MAX_MS = 600_000;

/**
 * Tells a dead connection from a quiet resource. A server which has sent bookmarks or events owes the next bookmark; one
 * that has not (1.20 sends none for a resource which did not change since it started) is given twice the time after
 * each silence, so that a quiet watch is not opened again and again.
 */
export function createStallGuard(clock: Clock) {
  let silenceMs = STALL_MS;

  return {
    /** Watches over one stream; `onStall` is called at most once. */
    over: (onStall: () => void) => {
      let owes = false;
      let heardAt = clock.monotonic();
      let timer: Timer;
      // Not set anew for every event: when it is due, it waits for what is left.
      const arm = (ms: number) => {
        timer = clock.setTimeout(() => {
          const leftMs = heardAt + silenceMs - clock.monotonic();
          if (leftMs > 0) {
            arm(leftMs);
            return;
          }
          if (!owes) silenceMs = Math.min(SILENCE_MAX_MS, silenceMs * 2);
          onStall();
        }, ms);
      };
      arm(silenceMs);
      return {
        heard: () => {
          owes = true;
          heardAt = clock.monotonic();
          if (silenceMs === STALL_MS) return;
          silenceMs = STALL_MS;
          clock.clearTimeout(timer);
          arm(silenceMs);
        },
        end: () => clock.clearTimeout(timer),
      };
    },
  };
}
