import type { Clock } from "@/server/kubernetes/clock";

/**
 * What waits for one reader: the newest value of each key and no more, so that a slow reader costs no more than the
 * keys that it asked for.
 */
export type Mailbox<Value> = {
  put(key: string, value: Value): void;
  /** Counts something that the reader only wants to know the number of. */
  count(): void;
  /** Something else has come for the reader. */
  wake: () => void;
  /** Resolves when there is something, when woken, when the time is over, or when the signal is aborted. */
  filled(signal: AbortSignal, within?: { clock: Clock; ms: number }): Promise<void>;
  take(): { values: Map<string, Value>; counted: number };
};

export function createMailbox<Value>(): Mailbox<Value> {
  let values = new Map<string, Value>();
  let counted = 0;
  let waiting: (() => void) | null = null;
  let isWoken = false;
  const wake = () => {
    isWoken = true;
    waiting?.();
    waiting = null;
  };
  return {
    put: (key, value) => {
      values.set(key, value);
      wake();
    },
    count: () => {
      counted++;
      wake();
    },
    wake,
    filled: (signal, within) =>
      new Promise((resolve) => {
        const timer = within?.clock.setTimeout(() => end(), within.ms);
        const end = () => {
          timer?.cancel();
          signal.removeEventListener("abort", end);
          resolve();
        };
        signal.addEventListener("abort", end);
        waiting = end;
        if (isWoken || signal.aborted) end();
      }),
    take: () => {
      const taken = { values, counted };
      isWoken = false;
      values = new Map();
      counted = 0;
      return taken;
    },
  };
}
