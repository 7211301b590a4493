import { expect, test } from "vitest";
import { mergePatchOf, sameValue } from "./merge-patch";

// prettier-ignore
test.each([
  // before                         after                           patch
  [{},                              {},                             null],
  [{ a: 1 },                        { a: 1 },                       null],
  [{ a: 1, b: 2 },                  { b: 2, a: 1 },                 null],
  [{ a: 1 },                        { a: 2 },                       { a: 2 }],
  [{ a: 1, b: 2 },                  { a: 1 },                       { b: null }],
  [{ a: 1 },                        { a: 1, b: undefined },         null],
  [{ a: 1, b: 2 },                  { a: 1, b: undefined },         { b: null }],
  [{ a: { x: 1, y: 2 } },           { a: { x: 1, y: 3 } },          { a: { y: 3 } }],
  [{ a: { x: 1, y: 2 } },           { a: { x: 1 } },                { a: { y: null } }],
  [{ a: [1, 2] },                   { a: [1, 2] },                  null],
  [{ a: [1, 2] },                   { a: [2, 1] },                  { a: [2, 1] }],
  [{ a: [{ t: "R", s: "True" }] },  { a: [{ s: "True", t: "R" }] }, null],
  [{ a: 1 },                        { a: { x: 1 } },                { a: { x: 1 } }],
  [{ a: { x: 1 } },                 { a: 1 },                       { a: 1 }],
  [{},                              { a: null },                    null],
  [{ a: 1 },                        { a: null },                    { a: null }],
] as const)("%j → %j is patched by %j", (before, after, patch) => {
  expect(mergePatchOf(before, after)).toEqual(patch);
});

// prettier-ignore
test.each([
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [[1], { 0: 1 }, false],
  [null, undefined, false],
  ["1", 1, false],
] as const)("%j and %j: the same is %s", (a, b, same) => {
  expect(sameValue(a, b)).toBe(same);
});
