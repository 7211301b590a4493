import { expect, test } from "vitest";
import type { TransitionAnswer } from "../answers";
import { folded } from "./folded";

const moved = (from: string, to: string, more: Partial<TransitionAnswer> = {}) =>
  ({
    id: "1",
    lifecycle: "phase",
    from,
    to,
    event: "observed",
    guard: null,
    actions: [],
    actor: null,
    error: null,
    ...more,
  }) as TransitionAnswer;
const shapeOf = (transitions: TransitionAnswer[]) =>
  folded(transitions).map((told) => ("all" in told ? `${told.rounds} × ${told.round}` : told.transition.to));

test("what goes round in circles is one line with how often", () => {
  const round = [moved("b", "a"), moved("a", "b")];
  expect(shapeOf([moved("a", "c"), ...round, ...round, ...round, moved("x", "b")])).toEqual(["c", "3 × 2", "b"]);
  expect(shapeOf(Array.from({ length: 1_000 }, () => moved("a", "a", { actions: ["fill"] })))).toEqual(["1000 × 1"]);
});

test("twice is no circle, and another cause is another line", () => {
  const round = [moved("b", "a"), moved("a", "b")];
  expect(shapeOf([...round, ...round])).toEqual(["a", "b", "a", "b"]);
  const failing = (error: string) => moved("a", "a", { error });
  expect(shapeOf([failing("x"), failing("y"), failing("x"), failing("z")])).toEqual(["a", "a", "a", "a"]);
});

test("nothing is lost: every transition is told once, in its place", () => {
  const all = ["a", "b", "a", "b", "a", "b", "c", "c", "c", "c", "d"].map((to, id) =>
    moved("s", to, { id: String(id) }),
  );
  const ids = folded(all)
    .flatMap((told) => ("all" in told ? told.all : [told.transition]))
    .map(({ id }) => id);
  expect(ids).toEqual(all.map(({ id }) => id));
});
