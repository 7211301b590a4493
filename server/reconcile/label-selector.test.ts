import { expect, test } from "vitest";
import { matchesSelector, selectorOf } from "./label-selector";

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

test("labels that no object can carry are no selector: nobody is asked for them", () => {
  expect(selectorOf(labels)).toBe("app=engine,orrery.dev/part=a");
  expect(selectorOf({ app: "n".repeat(63) })).toBe(`app=${"n".repeat(63)}`);
  expect(selectorOf({ app: "n".repeat(64) })).toBeNull();
});
