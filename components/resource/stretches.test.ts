import { expect, test } from "vitest";
import type { TransitionAnswer } from "../answers";
import { stretchAt, stretchesOf } from "./stretches";

const minute = 60_000;
const start = Date.UTC(2026, 0, 1);
const iso = (minutes: number) => new Date(start + minutes * minute).toISOString();
/** Newest first, as the API gives them; only what a strip looks at. */
const moves = [
  { id: "3", from: "hot", to: "off", at: iso(10) },
  { id: "2", from: "heating", to: "heating", at: iso(3) },
  { id: "1", from: "heating", to: "hot", at: iso(1) },
] as unknown as TransitionAnswer[];

test("every move begins a stretch that lasts until the next; staying does not", () => {
  const stretches = stretchesOf(moves, { state: "off", since: iso(10) }, start + 14 * minute);
  expect(stretches.map(({ state, ms }) => [state, ms / minute])).toEqual([
    ["hot", 9],
    ["off", 4],
  ]);
  expect(stretches.map(({ weight }) => weight)).toEqual([735, 490]);
});

test("what never moved is one stretch since it is known", () => {
  expect(stretchesOf([], { state: "off", since: iso(0) }, start + minute)).toMatchObject([{ id: null, ms: minute }]);
  expect(stretchesOf([], { state: "off", since: null }, start)).toEqual([]);
});

test("a place on the strip is a stretch", () => {
  const stretches = stretchesOf(moves, { state: "off", since: null }, start + 14 * minute);
  expect([0, 0.5, 0.7, 1].map((part) => stretchAt(stretches, part))).toEqual([0, 0, 1, 1]);
});
