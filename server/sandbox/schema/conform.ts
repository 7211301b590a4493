import { isRecord } from "@/server/sandbox/json";
import { addressOfSchema, omitsZero } from "@/server/sandbox/schema/builtin-schema";
import { type Schema } from "@/server/sandbox/schema/schema";

export type Findings = {
  /** Paths of fields that the schema does not know. */
  unknown: string[];
  /** What a typed decoder would say of the first value of a wrong type. */
  mistyped: string | null;
};

/**
 * Compares an object with its schema as Kubernetes' decoder does: values of built-in kinds lose their nulls, the zeros
 * that Go leaves out and what the schema does not know, in place (`prune`); a custom resource is only looked at.
 */
export function conform(schema: Schema, value: unknown, { prune }: { prune: boolean }): Findings {
  const findings: Findings = { unknown: [], mistyped: null };
  visit(schema, value, "", { findings, prune, owner: schema });
  return findings;
}

type Visit = { findings: Findings; prune: boolean; owner: Schema };

function visit(schema: Schema, value: unknown, path: string, at: Visit) {
  if (schema["x-kubernetes-preserve-unknown-fields"] && !schema.properties) return;
  // What is frozen is stored, and was looked at when it came.
  if (at.prune && Object.isFrozen(value) && typeof value === "object" && value !== null) return;
  if (at.prune && !fits(schema, value)) {
    at.findings.mistyped ??= mistyped(schema, value, path, at.owner);
    return;
  }
  if (at.prune && schema.format === "quantity") at.findings.mistyped ??= quantityProblem(value);
  if (Array.isArray(value)) {
    if (!schema.items) return;
    // A typed decoder reads null in a list as the empty value.
    if (at.prune) value.forEach((item, i) => item === null && (value[i] = zeros[schema.items?.type ?? ""]?.() ?? null));
    for (const [i, item] of value.entries()) visit(schema.items, item, `${path}[${i}]`, at);
  } else if (isRecord(value)) visitRecord(schema, value, path, at);
}

function visitRecord(schema: Schema, value: Record<string, unknown>, path: string, at: Visit) {
  const { properties, additionalProperties } = schema;
  const inside = addressOfSchema(schema) ? { ...at, owner: schema } : at;
  for (const [key, inner] of Object.entries(value)) {
    const field = path === "" ? key : `${path}.${key}`;
    const known = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
    const wanted = known ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
    if (at.prune && (inner === null || (wanted && isZero(inner) && omitsZero(wanted))))
      Reflect.deleteProperty(value, key);
    else if (wanted) visit(wanted, inner, field, inside);
    else if (isOpen(schema) || isImplied(path, key)) continue;
    else {
      at.findings.unknown.push(field);
      if (at.prune) Reflect.deleteProperty(value, key);
    }
  }
}

function isZero(value: unknown): boolean {
  return value === 0 || value === false;
}

/** apiVersion, kind and metadata are in every object, whether its schema says so or not. */
function isImplied(path: string, key: string): boolean {
  return path === "" && (key === "apiVersion" || key === "kind" || key === "metadata");
}

function isOpen({ type, properties, additionalProperties, ...schema }: Schema): boolean {
  if (schema["x-kubernetes-preserve-unknown-fields"] || additionalProperties === true) return true;
  return type !== "object" && !properties && !additionalProperties;
}

const fitting: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  int32: (value) => isWithin(value, 2 ** 31),
  int64: (value) => isWithin(value, 2 ** 63),
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: isRecord,
};

function fits(schema: Schema, value: unknown): boolean {
  if (value === null) return true;
  if (schema["x-kubernetes-int-or-string"]) return typeof value === "string" || typeof value === "number";
  const fit = fitting[schema.format ?? ""] ?? fitting[schema.type ?? ""];
  return fit?.(value) ?? true;
}

/** A whole number that a signed integer holds, which reaches to just below `end`. */
function isWithin(value: unknown, end: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= -end && value < end;
}

const NUMBER_AND_SUFFIX = /^[+-]?(?:\d+\.?\d*|\.\d+)([a-zA-Z]*[-+]?\d*)$/;
const SUFFIX = /^(?:[numkMGTPE]|[KMGTPE]i|[eE][-+]?\d+)?$/;

/** What Go's resource.Quantity says of a text that is none. */
function quantityProblem(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const suffix = NUMBER_AND_SUFFIX.exec(value)?.[1];
  if (suffix === undefined)
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  return SUFFIX.test(suffix) ? null : "unable to parse quantity's suffix";
}

const zeros: Readonly<Record<string, () => unknown>> = {
  string: () => "",
  integer: () => 0,
  number: () => 0,
  boolean: () => false,
  array: () => [],
  object: () => ({}),
};

const goTypes: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "bool",
  number: "float64",
  int32: "int32",
  int64: "int64",
  array: "[]interface {}",
  object: "map[string]interface {}",
};

function mistyped(schema: Schema, value: unknown, path: string, owner: Schema): string {
  const found = Array.isArray(value)
    ? "array"
    : typeof value === "object"
      ? "object"
      : typeof value === "boolean"
        ? "bool"
        : typeof value === "number" && schema.type === "integer"
          ? `number ${value}`
          : typeof value;
  const struct = addressOfSchema(owner)?.split(".")[1] ?? "";
  const inner = addressOfSchema(schema);
  const [table = "", name = ""] = inner?.split(".") ?? [];
  const goType = inner
    ? `${table === "core" || table === "meta" ? "v1" : table}.${name}`
    : (goTypes[schema.format ?? ""] ?? goTypes[schema.type ?? ""] ?? "string");
  return `json: cannot unmarshal ${found} into Go struct field ${struct}.${path.replaceAll(/\[\d+\]/g, "")} of type ${goType}`;
}
