/** Time as the worker knows it. Everything that waits takes one, so that a test can own time. */
export type Clock = {
  /** Epoch milliseconds: what is written into objects. */
  now(): number;
  /** Milliseconds that never go back: what deadlines are measured with. */
  monotonic(): number;
  setTimeout(run: () => void, ms: number): Timer;
  clearTimeout(timer: Timer): void;
  /** Resolves after `ms`, or at once when the signal is aborted: a stop is not an error. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export type Timer = { readonly cancel: () => void };

export const systemClock: Clock = withSleep({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: startTimer,
});

/** The longest wait that the runtime's own timers hold: anything longer would end at once. */
const WAIT_MAX_MS = 2 ** 31 - 1;

function startTimer(run: () => void, ms: number): Timer {
  const wait = (left: number): NodeJS.Timeout =>
    left > WAIT_MAX_MS ? setTimeout(() => (handle = wait(left - WAIT_MAX_MS)), WAIT_MAX_MS) : setTimeout(run, left);
  let handle = wait(ms);
  return { cancel: () => clearTimeout(handle) };
}

function withSleep(base: Pick<Clock, "now" | "monotonic" | "setTimeout">): Clock {
  return {
    ...base,
    clearTimeout: (timer) => timer.cancel(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) {
          resolve();
          return;
        }
        const wake = () => {
          timer.cancel();
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        const timer = base.setTimeout(wake, ms);
        signal?.addEventListener("abort", wake, { once: true });
      }),
  };
}

/** A clock that stands still until it is told to move. */
export type VirtualClock = Clock & {
  /** Moves time forward, timer by timer in order; before each, and at the end, waits until nothing is under way. */
  advance(ms: number): Promise<void>;
  /** Moves to the next timer, if one is due within `ms`, and runs it. False: there was none. */
  advanceToNext(withinMs: number): Promise<boolean>;
  /** Waits until nothing is under way, without moving time. */
  settle(): Promise<void>;
  /** Milliseconds until the next timer; null: nothing waits for time. */
  nextInMs(): number | null;
};

/** A round date in the past, so that a test which mixes real and virtual time shows it. */
const VIRTUAL_START = Date.UTC(2020, 0, 1);

type Waiting = { at: number; order: number; run: () => void };

/**
 * `quiet` says when nothing is under way, requests over real sockets included. Without it, one turn of the event
 * loop is waited for, which is exact for code that only awaits promises.
 */
export function createVirtualClock(options: { startMs?: number; quiet?: () => Promise<void> } = {}): VirtualClock {
  const startMs = options.startMs ?? VIRTUAL_START;
  const quiet = options.quiet ?? nextTurn;
  const waiting = new Set<Waiting>();
  let elapsedMs = 0;
  let order = 0;

  const clock = withSleep({
    // Whole, as Date.now() is: jitter may put a timer between two milliseconds.
    now: () => Math.floor(startMs + elapsedMs),
    monotonic: () => elapsedMs,
    setTimeout: (run, ms) => {
      const entry: Waiting = { at: elapsedMs + Math.max(0, ms), order: order++, run };
      waiting.add(entry);
      return { cancel: () => void waiting.delete(entry) };
    },
  });

  const advanceToNext = async (withinMs: number) => {
    await quiet();
    const next = earliest(waiting);
    if (!next || next.at > elapsedMs + withinMs) return false;
    waiting.delete(next);
    elapsedMs = Math.max(elapsedMs, next.at);
    next.run();
    return true;
  };

  return {
    ...clock,
    advanceToNext,
    settle: quiet,
    nextInMs: () => {
      const next = earliest(waiting);
      return next ? Math.max(0, next.at - elapsedMs) : null;
    },
    advance: async (ms) => {
      const end = elapsedMs + ms;
      while (await advanceToNext(end - elapsedMs));
      elapsedMs = Math.max(elapsedMs, end);
      await quiet();
    },
  };
}

function earliest(waiting: Iterable<Waiting>): Waiting | undefined {
  let first: Waiting | undefined;
  for (const entry of waiting) {
    if (!first || entry.at < first.at || (entry.at === first.at && entry.order < first.order)) first = entry;
  }
  return first;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
