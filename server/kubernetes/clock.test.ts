import { expect, test, vi } from "vitest";
import { createVirtualClock, systemClock } from "@/server/kubernetes/clock";

test("a virtual clock runs timers in the order of their time, those that they set included", async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const ran: string[] = [];
  const note = (name: string) => () => void ran.push(`${name}@${clock.now()}`);
  clock.setTimeout(note("late"), 300);
  clock.setTimeout(() => {
    note("early")();
    clock.setTimeout(note("between"), 50);
  }, 100);
  clock.setTimeout(note("twin"), 100);
  const never = clock.setTimeout(note("never"), 120);
  clock.clearTimeout(never);
  expect(clock.nextInMs()).toBe(100);
  await clock.advance(299);
  expect(ran).toEqual(["early@100", "twin@100", "between@150"]);
  await clock.advance(1);
  expect(ran.at(-1)).toBe("late@300");
  expect([clock.now(), clock.monotonic(), clock.nextInMs()]).toEqual([300, 300, null]);
});

test("promises that follow from a timer are done before the next timer", async () => {
  const clock = createVirtualClock();
  const ran: number[] = [];
  void clock.sleep(10).then(async () => {
    await Promise.resolve();
    ran.push(1);
    void clock.sleep(10).then(() => ran.push(2));
  });
  clock.setTimeout(() => ran.push(3), 15);
  await clock.advance(20);
  expect(ran).toEqual([1, 3, 2]);
});

test.each([
  ["system", () => systemClock],
  ["virtual", () => createVirtualClock()],
])("sleep on the %s clock ends when it is aborted, and leaves nothing behind", async (_name, clockOf) => {
  const clock = clockOf();
  const stop = new AbortController();
  const slept = clock.sleep(3_600_000, stop.signal);
  stop.abort();
  await slept;
  await clock.sleep(3_600_000, stop.signal);
});

test("a wait of months does not end at once", () => {
  vi.useFakeTimers();
  try {
    const days = 24 * 3_600_000;
    const ended = vi.fn();
    systemClock.setTimeout(ended, 60 * days);
    const given = systemClock.setTimeout(ended, 60 * days);
    vi.advanceTimersByTime(59 * days);
    expect(ended).not.toHaveBeenCalled();
    given.cancel();
    vi.advanceTimersByTime(days);
    expect(ended).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});
