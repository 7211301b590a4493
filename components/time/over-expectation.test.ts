import { expect, test } from "vitest";
import { overExpectation } from "./over-expectation";

const dwell = { p50Ms: 10_000, p95Ms: 40_000 };

test("a stay is late when it is longer than 95 of 100 before it", () => {
  expect(overExpectation(39_000, dwell, false)).toBeLessThan(1);
  expect(overExpectation(80_000, dwell, false)).toBe(2);
});

test("where a resource may rest, no stay is too long", () => {
  expect(overExpectation(1e9, dwell, true)).toBeNull();
});

test("a quick state is given seconds of grace, and one that nobody knows two minutes", () => {
  expect(overExpectation(4_000, { p50Ms: 100, p95Ms: 200 }, false)).toBeLessThan(1);
  expect(overExpectation(119_000, null, false)).toBeLessThan(1);
  expect(overExpectation(121_000, null, false)).toBeGreaterThan(1);
});
