import { expect, test } from "vitest";
import { createBackoff } from "@/server/kubernetes/backoff";

const waits = (count: number, next: () => number) => Array.from({ length: count }, next);

test("the wait doubles up to 30 s, and chance makes it up to twice as long", () => {
  const still = { monotonic: () => 0 };
  const shortest = createBackoff(still, () => 0);
  expect(waits(8, () => shortest.nextMs())).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
  const longer = createBackoff(still, () => 0.5);
  expect(waits(2, () => longer.nextMs())).toEqual([1_200, 2_400]);
});

test("a failure after two healthy minutes is a new one", () => {
  let now = 0;
  const backoff = createBackoff({ monotonic: () => now }, () => 0);
  now += backoff.nextMs() + 120_000;
  const remembered = backoff.nextMs();
  expect(remembered).toBe(1_600);
  now += remembered + 120_001;
  expect(backoff.nextMs()).toBe(800);
});
