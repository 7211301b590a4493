import { z } from "zod";

/** The part of OpenAPI v3 that Kubernetes takes in a CustomResourceDefinition. */
export type StructuralSchema = {
  type?: string;
  properties?: Record<string, StructuralSchema>;
  items?: StructuralSchema;
  additionalProperties?: StructuralSchema;
  required?: string[];
  [keyword: string]: unknown;
};

/** The structural schema of what a zod schema takes in. Kubernetes' own keywords are given by `.meta({ "x-kubernetes-…": … })`. */
export function structuralSchema(schema: z.ZodType, path: string): StructuralSchema {
  // zod types its answer as one JSON schema of any draft; `structural` looks at each keyword before it trusts it.
  const json = z.toJSONSchema(schema, { target: "openapi-3.0", io: "input", unrepresentable: "any" }) as Raw;
  return structural(json, path);
}

/** The schema of a field, by its path below the object. */
export function schemaAt(root: StructuralSchema, path: string): StructuralSchema {
  return path.split(".").reduce((schema, field) => {
    const next = field === "[]" ? schema.items : schema.properties?.[field];
    if (!next) throw new Error(`${path}: the schema has no field "${field}"`);
    return next;
  }, root);
}

type Raw = Record<string, unknown> & {
  type?: string;
  enum?: unknown[];
  anyOf?: Raw[];
  properties?: Record<string, Raw>;
  items?: Raw;
  additionalProperties?: Raw | boolean;
  required?: string[];
};

const intOrString = "x-kubernetes-int-or-string";
const open = "x-kubernetes-preserve-unknown-fields";

/** Keywords taken as they are. What is in neither list is an error, so that nothing is lost in silence. */
const kept = [
  ...[
    "type",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
  ],
  ...[
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "enum",
    "default",
    "nullable",
  ],
  ...["description", "title", "required"],
];
const dropped = ["$schema", "propertyNames", "id", "examples"];

function structural(raw: Raw, path: string): StructuralSchema {
  const { properties, items, additionalProperties, anyOf, allOf, oneOf, ...own } = raw;
  if (own[intOrString] === true) return keywords(own, path);
  const single = nullableOf(anyOf);
  if (single) return { ...structural(single, path), ...keywords(own, path), nullable: true };
  if (anyOf ?? allOf ?? oneOf) {
    throw new Error(
      `${path}: a union is no structural schema; use an enum, a record, or .meta({ "${intOrString}": true })`,
    );
  }
  const schema: StructuralSchema = keywords(own, path);
  if (properties) schema.properties = mapValues(properties, (part, field) => structural(part, `${path}.${field}`));
  if (items) schema.items = structural(items, `${path}[]`);
  if (isAnything(additionalProperties) || schema.type === undefined) return { ...schema, [open]: true };
  if (typeof additionalProperties === "object")
    schema.additionalProperties = structural(additionalProperties, `${path}.*`);
  return schema;
}

function keywords(own: Record<string, unknown>, path: string): StructuralSchema {
  const entries = Object.entries(own).filter(([keyword, value]) => {
    // A format says it already, and zod's pattern for times refuses some that Kubernetes takes.
    if (keyword === "pattern" && own["format"] !== undefined) return false;
    // Kubernetes 1.20 reads an empty string as no default at all, and then refuses it; we read absent as empty anyway.
    if (keyword === "default" && value === "") return false;
    if (keyword.startsWith("x-kubernetes-") || kept.includes(keyword)) return !isSafeIntegerBound(value);
    if (dropped.includes(keyword)) return false;
    throw new Error(`${path}: "${keyword}" has no place in a structural schema`);
  });
  return Object.fromEntries(entries);
}

// zod bounds every integer by what a double can hold; in a CRD that is noise.
function isSafeIntegerBound(value: unknown): boolean {
  return value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER;
}

function nullableOf(anyOf: Raw[] | undefined): Raw | undefined {
  const rest = anyOf?.filter((part) => part.type !== "null" && part.enum?.[0] !== null);
  return anyOf && rest?.length === 1 && anyOf.length === 2 ? rest[0] : undefined;
}

function isAnything(value: Raw | boolean | undefined): boolean {
  return value === true || (typeof value === "object" && Object.keys(value).length === 0);
}

function mapValues<A, B>(record: Record<string, A>, map: (value: A, key: string) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
