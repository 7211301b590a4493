import { expect, test } from "vitest";
import { diffLines } from "./diff-lines";

const told = (before: string, after: string) => diffLines(before, after).map(({ mark, line }) => mark + line);

test("what changed stands between what stayed", () => {
  expect(told("spec:\n  replicas: 2\n  class: big\n", "spec:\n  replicas: 3\n  class: big\n")).toEqual([
    " spec:",
    "-  replicas: 2",
    "+  replicas: 3",
    "   class: big",
  ]);
});

test("what was added and what was taken away", () => {
  expect(told("", "a\n")).toEqual(["+a"]);
  expect(told("a\nb\n", "a\n")).toEqual([" a", "-b"]);
  expect(told("a\nc", "a\nb\nc")).toEqual([" a", "+b", " c"]);
});
