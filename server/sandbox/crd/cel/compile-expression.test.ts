import { expect, test } from "vitest";
import { type CelType, celTypeOf } from "@/server/sandbox/crd/cel/cel-type";
import { compileExpression } from "@/server/sandbox/crd/cel/compile-expression";

const schema = {
  type: "object",
  properties: {
    a: { type: "integer" },
    b: { type: "integer" },
    f: { type: "number" },
    s: { type: "string" },
    l: { type: "array", items: { type: "integer" } },
    m: { type: "object", additionalProperties: { type: "string" } },
    o: { type: "object", properties: { "dash-ed": { type: "string" } } },
    any: { "x-kubernetes-int-or-string": true },
    at: { type: "string", format: "date-time" },
    d: { type: "string", format: "duration" },
  },
};
const types = new Map<string, CelType>([["self", celTypeOf(schema)]]);
const run = (source: string, self: object) => compileExpression(source, types).run({ self });

test.each([
  // expression                                          self                              value
  ["1 + 2 * 3 - 4 / 2", {}, 5],
  ["7 / 2", {}, 3],
  ["-7 / 2", {}, -3],
  ["7 % 3", {}, 1],
  ["self.f / 2.0", { f: 7 }, 3.5],
  ["self.a < self.b && self.b <= 3", { a: 1, b: 3 }, true],
  ["!(self.a == 1) || self.s != 'x'", { a: 1, s: "x" }, false],
  ["self.a > 0 ? 'yes' : 'no'", { a: 0 }, "no"],
  ["has(self.s)", {}, false],
  ["has(self.o.dash__dash__ed)", { o: { "dash-ed": "x" } }, true],
  ["'k' in self.m && self.m['k'] == 'v'", { m: { k: "v" } }, true],
  ["2 in self.l", { l: [1, 2] }, true],
  ["self.l[1]", { l: [1, 2] }, 2],
  ["self.l.map(x, x * 2).sum()", { l: [1, 2] }, 6],
  ["self.l.map(x, x > 1, x * 10)", { l: [1, 2] }, [20]],
  ["self.l.exists_one(x, x == 1)", { l: [1, 1] }, false],
  ["self.l.min() + self.l.max()", { l: [3, 1, 2] }, 4],
  ["self.l.isSorted()", { l: [1, 3, 2] }, false],
  ["self.m.all(k, k.startsWith('a'))", { m: { ab: "", ac: "" } }, true],
  ["size('größe') + self.s.size()", { s: "😀" }, 6],
  ["self.s.split('-').join('+')", { s: "a-b" }, "a+b"],
  ["self.s.substring(1, 3) + self.s.charAt(0)", { s: "abcd" }, "bca"],
  ["self.s.lowerAscii().replace('a', 'o').indexOf('o')", { s: "BAR" }, 1],
  ["self.s.matches('^[a-z]+$') && self.s.contains('b') && self.s.endsWith('c')", { s: "abc" }, true],
  ["self.s.find('[0-9]+')", { s: "a12b3" }, "12"],
  ["string(self.any) == '80' || self.any == 80", { any: 80 }, true],
  ["self.at < timestamp('2025-01-01T00:00:00Z')", { at: "2024-06-01T00:00:00Z" }, true],
  ["self.d >= duration('90s')", { d: "1m30s" }, true],
  ["[1, 2] + [3] == [1, 2, 3] && {'a': 1}['a'] == 1", {}, true],
  ["self.l[9] == 1 || true", { l: [] }, true],
  ["r'\\d' == '\\\\d'", {}, true],
])("%s over %j is %j", (source, self, value) => {
  expect(run(source, self)).toEqual(value);
});

test.each([
  ["self.l[3]", { l: [1] }, "index out of bounds: 3"],
  ["self.m['x'] == 'y'", { m: {} }, "no such key: x"],
  ["1 / self.a", { a: 0 }, "division by zero"],
  ["self.any > 3", { any: "x" }, "no such overload"],
])("%s over %j fails with: %s", (source, self, problem) => {
  expect(() => run(source, self)).toThrow(problem);
});

test.each([
  ["self.missing == 1", "undefined field 'missing'"],
  ["self.s > 1", "found no matching overload for '_>_' applied to '(string, int)'"],
  ["self.s.frob()", "undeclared reference to 'frob' (in container '')"],
  ["self.a == ", "Syntax error: mismatched input '<EOF>'"],
  ["self.l.all(1, true)", "argument must be a simple name"],
  ["has(self)", "invalid argument to has() macro"],
  ["self.a && true", "found no matching overload for '_&&_' applied to '(int, bool)'"],
])("%s does not compile: %s", (source, problem) => {
  expect(() => run(source, {})).toThrow(problem);
});

test("an error points at its place", () => {
  expect(() => run("self.a == frob(1)", {})).toThrow(
    "ERROR: <input>:1:15: undeclared reference to 'frob' (in container '')\n | self.a == frob(1)\n | ..............^",
  );
});

test.each([
  ["brackets", `${"(".repeat(900)}true${")".repeat(900)}`, "recursion limit"],
  ["signs", `${"!".repeat(1_900)}true`, "recursion limit"],
  ["choices", `${"true ? true : ".repeat(400)}true`, "recursion limit"],
  ["length", `1${" + 1".repeat(50_000)} > 0`, "exceeds limit"],
])("an expression without an end by %s does not compile", (_by, source, problem) => {
  expect(() => compileExpression(source, types)).toThrow(problem);
});
