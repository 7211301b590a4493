import { isJsonObject, type Schema } from "@/server/sandbox/crd/schema";

/** The static type of an expression. `dyn` is what only the running rule can tell. */
export type CelType =
  | { name: "int" | "double" | "string" | "bool" | "null_type" | "dyn" | "timestamp" | "duration" | "bytes" | "type" }
  | { name: "list"; of: CelType }
  | { name: "map"; of: CelType }
  | { name: "object"; fields: ReadonlyMap<string, { type: CelType; property: string }>; open: boolean };

export const dyn: CelType = { name: "dyn" };
export const bool: CelType = { name: "bool" };
export const int: CelType = { name: "int" };
export const string: CelType = { name: "string" };

const scalars: Record<string, CelType> = { integer: int, number: { name: "double" }, boolean: bool, string };

const stringFormats: Record<string, CelType> = {
  "date-time": { name: "timestamp" },
  datetime: { name: "timestamp" },
  date: { name: "timestamp" },
  duration: { name: "duration" },
  byte: { name: "bytes" },
};

/** How a rule sees a value of this schema. */
export function celTypeOf(schema: Schema, isResource = false): CelType {
  if (schema["x-kubernetes-int-or-string"] === true) return dyn;
  const format = schema.format ?? "";
  const byFormat = schema.type === "string" && Object.hasOwn(stringFormats, format) ? stringFormats[format] : undefined;
  const scalar = byFormat ?? scalars[schema.type ?? ""];
  if (scalar) return scalar;
  if (schema.type === "array") return { name: "list", of: schema.items ? celTypeOf(schema.items) : dyn };
  if (schema.type !== "object") return dyn;
  if (isJsonObject(schema.additionalProperties)) return { name: "map", of: celTypeOf(schema.additionalProperties) };
  if (schema.additionalProperties === true) return { name: "map", of: dyn };
  return objectTypeOf(schema, isResource || schema["x-kubernetes-embedded-resource"] === true);
}

function objectTypeOf(schema: Schema, isResource: boolean): CelType {
  const fields = new Map<string, { type: CelType; property: string }>();
  for (const [property, of] of Object.entries(schema.properties ?? {})) {
    fields.set(escapeField(property), { type: celTypeOf(of), property });
  }
  if (isResource) {
    fields.set("apiVersion", { type: string, property: "apiVersion" });
    fields.set("kind", { type: string, property: "kind" });
    fields.set("metadata", { type: metadata, property: "metadata" });
  }
  return { name: "object", fields, open: false };
}

/** Of a resource's metadata, rules may read the names and nothing else. */
const metadata: CelType = {
  name: "object",
  open: false,
  fields: new Map(["name", "generateName"].map((property) => [property, { type: string, property }])),
};

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const escapes: Record<string, string> = { __: "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__" };

function escapeField(property: string): string {
  if (reserved.has(property)) return `__${property}__`;
  return property.replace(/__|[.\-/]/g, (found) => escapes[found] ?? found);
}

export function typeText(type: CelType): string {
  if (type.name === "list") return `list(${typeText(type.of)})`;
  if (type.name === "map") return `map(string, ${typeText(type.of)})`;
  return type.name;
}

/** Whether a value of one type can stand where the other is wanted. */
export function fits(type: CelType, wanted: CelType): boolean {
  if (type.name === "dyn" || wanted.name === "dyn") return true;
  if (type.name === "list" && wanted.name === "list") return fits(type.of, wanted.of);
  if (type.name === "map" && wanted.name === "map") return fits(type.of, wanted.of);
  return type.name === wanted.name;
}
