import { expect, test } from "vitest";
import { wireJson } from "./wire-json";

test("characters that YAML refuses are escaped, and mean what they meant", () => {
  const text = "a\u007fb\u0080c\ufeffd\ufffee";
  expect(wireJson({ text })).toBe('{"text":"a\\u007fb\\u0080c\\ufeffd\\ufffee"}');
  expect(JSON.parse(wireJson({ text }))).toEqual({ text });
});
