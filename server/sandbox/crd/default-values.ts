import { isJsonObject, type JsonObject, type Schema } from "@/server/sandbox/crd/schema";

/** Fills, in place, what is missing and has a default; a null where null is not allowed counts as missing. */
export type SetDefaults = (value: unknown) => void;

/** Null where the schema, and all below it, has nothing to fill in. */
export function compileDefaults(schema: Schema): SetDefaults | null {
  const item = schema.items === undefined ? null : compileItem(schema.items);
  const object = compileObject(schema);
  if (item === null && object === null) return null;
  return (value) => {
    if (Array.isArray(value)) {
      if (item !== null) value.forEach((_, index) => (value[index] = item(value[index])));
    } else if (isJsonObject(value)) object?.(value);
  };
}

function compileObject(schema: Schema): ((value: JsonObject) => void) | null {
  const properties = Object.entries(schema.properties ?? {}).map(([name, of]) => ({
    name,
    fallback: of.default,
    nullable: of.nullable === true,
    below: compileDefaults(of),
  }));
  const extra = isJsonObject(schema.additionalProperties) ? compileItem(schema.additionalProperties) : null;
  if (properties.length === 0 && extra === null) return null;
  const known = new Set(properties.map(({ name }) => name));
  return (value) => {
    for (const { name, fallback, nullable, below } of properties) {
      const missing = value[name] === undefined || (value[name] === null && !nullable);
      if (missing && fallback !== undefined) value[name] = structuredClone(fallback);
      else if (value[name] === null && !nullable) Reflect.deleteProperty(value, name);
      if (below !== null && value[name] !== undefined) below(value[name]);
    }
    if (extra === null) return;
    for (const name of Object.keys(value)) if (!known.has(name)) value[name] = extra(value[name]);
  };
}

function compileItem(schema: Schema): ((value: unknown) => unknown) | null {
  const below = compileDefaults(schema);
  const fallback = schema.nullable === true ? undefined : schema.default;
  if (below === null && fallback === undefined) return null;
  return (value) => {
    const filled = value === null && fallback !== undefined ? structuredClone(fallback) : value;
    below?.(filled);
    return filled;
  };
}
