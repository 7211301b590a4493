import { expect, test } from "vitest";
import { misshapenField } from "@/server/sandbox/crd/definition-shape";

const withSchema = (openAPIV3Schema: unknown) => ({ versions: [{ name: "v1", schema: { openAPIV3Schema } }] });
const at = "spec.versions[0].schema.openAPIV3Schema";

test.each([
  [{ versions: [null] }, "spec.versions[0] must not be null"],
  [{ names: "x" }, "spec.names must be an object"],
  [withSchema({ type: 1 }), `${at}.type must be a string`],
  [withSchema({ properties: { a: 1 } }), `${at}.properties.a must be an object`],
  [
    withSchema({ items: { "x-kubernetes-validations": [{ rule: 1 }] } }),
    `${at}.items.x-kubernetes-validations[0].rule must be a string`,
  ],
  [withSchema({ required: "a" }), `${at}.required must be a list`],
])("%j is refused: %s", (spec, problem) => {
  expect(misshapenField(spec)).toBe(problem);
});

test("null is the same as nothing", () => {
  const spec = withSchema({ type: "object", properties: { a: null, b: { type: "string" } } });
  expect(misshapenField(spec)).toBeUndefined();
  expect(spec).toEqual(withSchema({ type: "object", properties: { b: { type: "string" } } }));
});
