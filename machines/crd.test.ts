import { expect, test } from "vitest";
import { z } from "zod";
import { conditionsSchema } from "./conditions";
import { crdOf } from "./crd";
import { kettle } from "./fixtures/kettle";
import { structuralSchema } from "./structural-schema";

test("a CRD says its names, its subresources, its columns and the schema of what it takes", () => {
  const crd = crdOf({
    ...kettle,
    crd: { ...kettle.crd, rules: { "spec.litres": [{ rule: "self == oldSelf", message: "litres is immutable" }] } },
  });
  expect(crd).toMatchObject({
    metadata: { name: "kettles.kitchen.example.com" },
    spec: { scope: "Namespaced", names: { kind: "Kettle", listKind: "KettleList", shortNames: ["kt"] } },
  });
  expect(crd.spec.versions[0]).toMatchObject({
    name: "v1",
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: "Phase", type: "string", jsonPath: ".status.phase" }],
    schema: {
      openAPIV3Schema: {
        properties: {
          spec: {
            properties: {
              litres: {
                type: "integer",
                minimum: 1,
                default: 1,
                "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "litres is immutable" }],
              },
            },
          },
          status: { properties: { phase: { type: "string", enum: ["off", "heating", "hot"] } } },
        },
      },
    },
  });
});

test("a rule for a field that is not there is refused by its path", () => {
  const crd = { ...kettle.crd, rules: { "spec.liters": [{ rule: "true", message: "" }] } };
  expect(() => crdOf({ ...kettle, crd })).toThrow('spec.liters: the schema has no field "liters"');
});

// prettier-ignore
test.each<[what: string, schema: z.ZodType, structural: object]>([
  ["an integer without the bounds of doubles", z.int().min(2),                           { type: "integer", minimum: 2 }],
  ["what may be null",                         z.string().nullable(),                    { type: "string", nullable: true }],
  ["a number or a string",                     intOrString(),                            { "x-kubernetes-int-or-string": true }],
  ["anything",                                 z.unknown(),                              { "x-kubernetes-preserve-unknown-fields": true }],
  ["an object with more than we read",         z.looseObject({ a: z.string() }),         { type: "object", required: ["a"], properties: { a: { type: "string" } }, "x-kubernetes-preserve-unknown-fields": true }],
  ["a map",                                    z.record(z.string(), z.int()),            { type: "object", additionalProperties: { type: "integer" } }],
  ["one constant",                             z.literal("x"),                           { type: "string", enum: ["x"] }],
  ["a time",                                   z.iso.datetime(),                         { type: "string", format: "date-time" }],
  ["a default",                                z.enum(["a", "b"]).default("b"),          { type: "string", enum: ["a", "b"], default: "b" }],
])("%s becomes a structural schema", (_what, schema, expected) => {
  expect(structuralSchema(schema, "spec")).toEqual(expected);
});

test("conditions are a map by their type", () => {
  expect(structuralSchema(conditionsSchema, "status.conditions")).toMatchObject({
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
  });
});

test("a union that no structural schema can hold is refused by its path", () => {
  expect(() => structuralSchema(z.object({ size: z.union([z.int(), z.boolean()]) }), "spec")).toThrow(
    "spec.size: a union",
  );
});

function intOrString() {
  return z.union([z.int(), z.string()]).meta({ "x-kubernetes-int-or-string": true });
}
