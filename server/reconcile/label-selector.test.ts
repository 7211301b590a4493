import { expect, test } from "vitest";
import { matchesSelector } from "./label-selector";

const labels = { app: "engine", "orrery.dev/part": "a" };

// prettier-ignore
test.each([
  ["app=engine", true],
  ["app==engine,orrery.dev/part=a", true],
  ["app=engine, orrery.dev/part = b", false],
  ["app!=pool", true],
  ["app!=engine", false],
  ["app", true],
  ["missing", false],
  ["!missing", true],
  ["!app", false],
  ["app in (engine)", false],
])("%s: %s", (selector, matches) => {
  expect(matchesSelector(selector, labels)).toBe(matches);
});
