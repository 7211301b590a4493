import { expect, test } from "vitest";
import type { TransitionAnswer } from "../answers";
import { condensed } from "./condensed";

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
const told = (id: string, second: number, more: Partial<TransitionAnswer>) =>
  ({
    id,
    at: at(second),
    from: "a",
    to: "a",
    edge: "a.observed.0",
    actions: [],
    writes: [],
    error: null,
    ...more,
  }) as TransitionAnswer;
const ids = (transitions: TransitionAnswer[]) => condensed(transitions).map(({ id }) => id);

test("of a pass, what moved is told and what stayed is not", () => {
  expect(ids([told("1", 1, {}), told("2", 1, { to: "b" }), told("3", 2, { to: "b" })])).toEqual(["2", "3"]);
});

test("a composed lifecycle does not tell again what its part told", () => {
  expect(ids([told("whole", 1, { to: "b", edge: null }), told("part", 1, { to: "b" })])).toEqual(["part"]);
  expect(ids([told("whole", 1, { to: "b", edge: null })])).toEqual(["whole"]);
});

test("where nothing moved, what was done or failed is told", () => {
  expect(ids([told("1", 1, {}), told("2", 1, { actions: ["fill"] }), told("3", 1, { error: "no water" })])).toEqual([
    "2",
    "3",
  ]);
  expect(ids([told("1", 1, {}), told("2", 1, {})])).toEqual(["1"]);
});

test("what was in order already is not told beside what was written", () => {
  const written = { actions: ["pour"], writes: [{ verb: "patch" }] } as unknown as Partial<TransitionAnswer>;
  expect(ids([told("1", 1, { actions: ["fill"] }), told("2", 1, written)])).toEqual(["2"]);
});
