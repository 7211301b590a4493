import { type Clock, type Timer } from "@/server/kubernetes/clock";

/** What a controller does with one key: nothing more, or look again in so many milliseconds. */
export type Reconcile = (key: string) => Promise<number | undefined>;

export type ControlLoop = {
  add(key: string): void;
  addAfter(key: string, ms: number): void;
  /** Nothing runs and nothing is due: all that may happen next hangs on a timer or on somebody else. */
  idle: () => boolean;
  /** Resolves when no reconcile runs any more; nothing starts after it was called. */
  stop(): Promise<void>;
};

// The limits of client-go's default rate limiter.
const BACKOFF_FIRST_MS = 5;
const BACKOFF_MOST_MS = 1_000_000;
const WORKERS = 5;

/** A work queue as controllers use it: a key waits once, runs in one worker at a time, and failures back off per key. */
export function createControlLoop(options: {
  clock: Clock;
  reconcile: Reconcile;
  onError?: (key: string, error: unknown) => void;
}): ControlLoop {
  const { clock, reconcile, onError } = options;
  const waiting = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const timers = new Map<string, { timer: Timer; at: number }>();
  const failures = new Map<string, number>();
  let stopped = false;
  let scheduled = false;

  function add(key: string) {
    if (stopped) return;
    waiting.add(key);
    schedule();
  }

  /** A turn later: a burst of events about one object becomes one pass, and between two passes others get their turn. */
  function schedule() {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      startDue();
    });
  }

  function startDue() {
    for (const key of waiting) {
      if (stopped || running.size >= WORKERS) return;
      if (running.has(key)) continue;
      waiting.delete(key);
      running.set(key, run(key));
    }
  }

  async function run(key: string) {
    try {
      const againInMs = await reconcile(key);
      failures.delete(key);
      if (againInMs !== undefined) addAfter(key, againInMs);
    } catch (error) {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      onError?.(key, error);
      addAfter(key, Math.min(BACKOFF_FIRST_MS * 2 ** count, BACKOFF_MOST_MS));
    } finally {
      running.delete(key);
      if (waiting.size > 0) schedule();
    }
  }

  function addAfter(key: string, ms: number) {
    if (stopped) return;
    const at = clock.monotonic() + ms;
    const pending = timers.get(key);
    if (pending && pending.at <= at) return;
    pending?.timer.cancel();
    const timer = clock.setTimeout(() => {
      timers.delete(key);
      add(key);
    }, ms);
    timers.set(key, { timer, at });
  }

  return {
    add,
    addAfter,
    idle: () => waiting.size === 0 && running.size === 0,
    stop: async () => {
      stopped = true;
      waiting.clear();
      for (const { timer } of timers.values()) timer.cancel();
      timers.clear();
      await Promise.all(running.values());
    },
  };
}
