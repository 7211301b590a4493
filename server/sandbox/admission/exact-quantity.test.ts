import { expect, test } from "vitest";
import { exactQuantity, minus, plus, quantityText } from "@/server/sandbox/admission/exact-quantity";

test.each([
  ["1", "1"],
  ["1000m", "1"],
  ["1500m", "1500m"],
  ["0.5", "500m"],
  ["2000", "2k"],
  ["1.5Gi", "1536Mi"],
  ["1024Mi", "1Gi"],
  ["100Ki", "100Ki"],
  ["1e3", "1k"],
  ["1.0", "1"],
  ["12E", "12E"],
  ["0.1n", "1n"],
  ["-250m", "-250m"],
  ["nonsense", "0"],
])("%s is written %s", (given, text) => {
  expect(quantityText(exactQuantity(given))).toBe(text);
});

test("sums and differences are exact and keep the way of writing", () => {
  expect(quantityText(plus(exactQuantity("0.1"), exactQuantity("0.2")))).toBe("300m");
  expect(quantityText(plus(exactQuantity("512Mi"), exactQuantity("512Mi")))).toBe("1Gi");
  expect(quantityText(minus(exactQuantity("1Gi"), exactQuantity("512Mi")))).toBe("512Mi");
});
