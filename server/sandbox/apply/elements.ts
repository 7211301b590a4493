import { isRecord } from "@/server/sandbox/json";
import { type Schema } from "@/server/sandbox/schema/schema";

/** A value that is owned in parts: each with its name in managedFields, its schema, and where it is. */
export type Part = { element: string; schema: Schema | undefined; value: unknown };

/** The parts of a value, or null when it is owned as a whole: scalars, atomic lists and maps, the empty ones too. */
export function partsOf(schema: Schema | undefined, value: unknown): Part[] | null {
  if (isRecord(value)) {
    if (isAtomic(schema)) return null;
    return Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => ({ element: `f:${key}`, schema: schemaOfKey(schema, key), value: inner }));
  }
  if (!Array.isArray(value)) return null;
  const element = elementIn(schema);
  return element && value.every((item) => element(item) !== null)
    ? value.map((item: unknown) => ({ element: element(item) ?? "", schema: schema?.items, value: item }))
    : null;
}

/** A map that is owned as a whole. */
export function isAtomic(schema: Schema | undefined): boolean {
  return schema?.["x-kubernetes-map-type"] === "atomic";
}

export function schemaOfKey(schema: Schema | undefined, key: string): Schema | undefined {
  const { properties, additionalProperties } = schema ?? {};
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** How the items of a list are told apart, or null for a list that is one value. */
export function elementIn(schema: Schema | undefined): ((item: unknown) => string | null) | null {
  const listType = schema?.["x-kubernetes-list-type"];
  if (listType === "set") return (item) => (typeof item === "object" ? null : `v:${JSON.stringify(item)}`);
  const keys = schema?.["x-kubernetes-list-map-keys"];
  return listType === "map" && keys ? (item) => keyedElement(schema, [...keys].sort(), item) : null;
}

function keyedElement(schema: Schema, keys: readonly string[], item: unknown): string | null {
  if (!isRecord(item)) return null;
  const found: Record<string, unknown> = {};
  for (const key of keys) {
    const value = item[key] ?? schema.items?.properties?.[key]?.default ?? keyDefaults[key];
    if (value !== undefined) found[key] = value;
  }
  return Object.keys(found).length === 0 ? null : `k:${JSON.stringify(found)}`;
}

/** Built-in lists are keyed by protocol too, and it may be left out. */
const keyDefaults: Readonly<Record<string, string>> = { protocol: "TCP" };
