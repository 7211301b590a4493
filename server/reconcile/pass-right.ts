import { type Clock } from "@/server/kubernetes/clock";
import { ownError } from "@/server/own-error";
import { type WriteGuard } from "./write-guard";

/**
 * Longest that a pass may take. controller-runtime sets no limit unless told; a pass of ours that never ends would hold
 * its key and its place for ever. Five times the longest wait for one answer (60 s), and no shorter than the longest
 * backoff: what takes longer is stuck, not slow.
 */
const PASS_MS_MAX = 300_000;

/** Why nothing of a pass is written any more. What it has written stays; the next pass goes on from there. */
class PassTimedOut extends ownError("PassTimedOut") {
  constructor() {
    super(`the pass was given up after ${PASS_MS_MAX / 1_000} s`);
  }
}

/** The right of one pass to write: it ends with its time, and with the term of the lease in which the pass began. */
type PassRight = {
  /** Throws when it has ended. The signal ends with it: a write that still waits then is not sent. */
  check(): AbortSignal;
  /** Resolves when the time is up; the right has ended by then. */
  timeUp: Promise<PassTimedOut>;
  /** The pass is over: nothing is watched any more. */
  close(): void;
};

export function openPassRight(guard: WriteGuard, clock: Clock): PassRight {
  const ended = new AbortController();
  const term = guard.term();
  const endWithTerm = () => ended.abort(term.reason);
  term.addEventListener("abort", endWithTerm, { once: true });
  let tell: (late: PassTimedOut) => void = () => undefined;
  const timeUp = new Promise<PassTimedOut>((resolve) => (tell = resolve));
  const timer = clock.setTimeout(() => {
    const late = new PassTimedOut();
    ended.abort(late);
    tell(late);
  }, PASS_MS_MAX);

  return {
    check: () => {
      // First, since it counts what it refuses.
      guard.check();
      ended.signal.throwIfAborted();
      return ended.signal;
    },
    timeUp,
    close: () => {
      timer.cancel();
      term.removeEventListener("abort", endWithTerm);
    },
  };
}
