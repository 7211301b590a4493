import { expect, test } from "vitest";
import { findCondition, isTrue, setCondition, type Condition } from "./conditions";

const ready = { type: "Ready", status: "True", reason: "AllGood", message: "", observedGeneration: 1 } as const;
const noon = Date.parse("2026-03-01T12:00:00.750Z");
const one = Date.parse("2026-03-01T13:00:00Z");
const before = setCondition([], ready, noon);

test("the time of the last transition is when the status changed, to the second", () => {
  expect(before).toEqual([{ ...ready, lastTransitionTime: "2026-03-01T12:00:00Z" }]);
  const after = setCondition(before, { ...ready, status: "False", reason: "Gone" }, one);
  expect(findCondition(after, "Ready")).toMatchObject({
    status: "False",
    reason: "Gone",
    lastTransitionTime: "2026-03-01T13:00:00Z",
  });
});

test("a new reason, message or generation alone leaves that time as it was", () => {
  const after = setCondition(before, { ...ready, reason: "StillGood", message: "fine", observedGeneration: 2 }, one);
  expect(after).toEqual([
    {
      ...ready,
      reason: "StillGood",
      message: "fine",
      observedGeneration: 2,
      lastTransitionTime: "2026-03-01T12:00:00Z",
    },
  ]);
});

test("the same condition again gives the very same list, so that nothing is written", () => {
  expect(setCondition(before, { ...ready }, one)).toBe(before);
});

test("the other conditions stay where they are, and an absent one is not true", () => {
  const other: Condition = { ...ready, type: "Synced", lastTransitionTime: "2026-01-01T00:00:00Z" };
  const list = setCondition([other, ...before], { ...ready, status: "False" }, one);
  expect(list.map(({ type }) => type)).toEqual(["Synced", "Ready"]);
  expect([isTrue(list, "Synced"), isTrue(list, "Ready"), isTrue(list, "Missing")]).toEqual([true, false, false]);
});
