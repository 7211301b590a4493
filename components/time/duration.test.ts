import { expect, test } from "vitest";
import { duration } from "./duration";

test.each([
  [0, "0 s"],
  [240, "240 ms"],
  [41_000, "41 s"],
  [252_000, "4 m 12 s"],
  [3_600_000, "1 h"],
  [3_612_000, "1 h"],
  [190_000_000, "2 d 4 h"],
])("%i ms are said as %s", (ms, said) => {
  expect(duration(ms)).toBe(said);
});

test("a list says the largest unit alone", () => {
  expect(duration(252_000, 1)).toBe("4 m");
});
