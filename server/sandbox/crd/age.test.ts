import { expect, test } from "vitest";
import { ageOf } from "@/server/sandbox/crd/age";

test.each([
  [0, "0s"],
  [119, "119s"],
  [120, "2m"],
  [200, "3m20s"],
  [3600, "60m"],
  [3 * 3600 + 60, "3h1m"],
  [30 * 3600, "30h"],
  [3 * 86400 + 3600, "3d1h"],
  [20 * 86400, "20d"],
  [800 * 86400, "2y70d"],
  [-5, "<invalid>"],
])("%i seconds ago is %s", (seconds, shown) => {
  expect(ageOf(seconds * 1000)).toBe(shown);
});
