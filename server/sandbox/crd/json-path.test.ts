import { expect, test } from "vitest";
import { compileJsonPath } from "@/server/sandbox/crd/json-path";

const object = {
  spec: {
    a: 1,
    list: [
      { n: "x", v: 1 },
      { n: "y", v: 2 },
    ],
    "with.dot": true,
  },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Other", status: "False" },
    ],
  },
};

test.each([
  [".spec.a", [1]],
  [".spec.list[1].n", ["y"]],
  [".spec.list[-1].n", ["y"]],
  [".spec.list[*].v", [1, 2]],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  [".status.conditions[?(@.type=='Other')].status", ["False"]],
  [".spec.list[?(@.v>1)].n", ["y"]],
  [".spec.with\\.dot", [true]],
  [".spec['with.dot']", [true]],
  ["{.spec.a}", [1]],
  [".spec.missing.deeper", []],
])("%s finds %j", (path, found) => {
  expect(compileJsonPath(path)(object)).toEqual(found);
});

test("what is not understood is refused", () => {
  expect(() => compileJsonPath(".spec[")).toThrow('unrecognized JSONPath at "["');
});
