import { type Clock } from "@/server/kubernetes/clock";

/** Above the longest wait for one answer (60 s), below the guards that always run (a silent watch: 70 s). */
const SHORT_MS = 65_000;

/** The same clock, and how many timers on it are to run soon. */
export function createWatchedClock(clock: Clock): { clock: Clock; waiting: () => number } {
  const short = new Set<object>();

  const setTimeout: Clock["setTimeout"] = (run, ms) => {
    if (ms >= SHORT_MS) return clock.setTimeout(run, ms);
    const entry = {};
    short.add(entry);
    const timer = clock.setTimeout(() => {
      short.delete(entry);
      run();
    }, ms);
    return {
      cancel: () => {
        short.delete(entry);
        timer.cancel();
      },
    };
  };
  const sleep: Clock["sleep"] = async (ms, signal) => {
    const entry = {};
    if (ms < SHORT_MS) short.add(entry);
    await clock.sleep(ms, signal);
    short.delete(entry);
  };
  return {
    clock: { ...clock, setTimeout, clearTimeout: (timer) => timer.cancel(), sleep },
    waiting: () => short.size,
  };
}
