import { childPath, isJsonObject, type JsonObject, type Schema } from "@/server/sandbox/crd/schema";
import { stableJson } from "@/server/sandbox/crd/stable-json";
import { duplicate, type FieldError, invalid } from "@/server/sandbox/field-error";

type ListTypeCheck = (value: unknown, path: string, errors: FieldError[]) => void;

/** Sets hold an item once, keyed lists a key once. Null where no list of that kind is in the schema. */
export function compileListTypes(schema: Schema): ListTypeCheck | null {
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, of]) => {
    const check = compileListTypes(of);
    return check ? [{ name, check }] : [];
  });
  const extra = isJsonObject(schema.additionalProperties) ? compileListTypes(schema.additionalProperties) : null;
  const item = schema.items === undefined ? null : compileListTypes(schema.items);
  const own = ownCheck(schema);
  if (properties.length === 0 && extra === null && item === null && own === null) return null;
  return (value, path, errors) => {
    if (Array.isArray(value)) {
      own?.(value, path, errors);
      if (item) value.forEach((of, index) => item(of, `${path}[${index}]`, errors));
    } else if (isJsonObject(value)) {
      for (const { name, check } of properties) check(value[name], childPath(path, name), errors);
      if (extra) for (const name of Object.keys(value)) extra(value[name], `${path}[${name}]`, errors);
    }
  };
}

function ownCheck(schema: Schema): ((items: unknown[], path: string, errors: FieldError[]) => void) | null {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (schema["x-kubernetes-list-type"] === "set") return (items, path, errors) => reportRepeats(items, path, errors);
  if (schema["x-kubernetes-list-type"] !== "map") return null;
  return (items, path, errors) => {
    const odd = items.findIndex((item) => item !== null && !isJsonObject(item));
    if (odd >= 0)
      errors.push(invalid(`${path}[${odd}]`, items[odd], "must be an object for an array of list-type map"));
    else
      reportRepeats(
        items.map((item) => keyOf(isJsonObject(item) ? item : {}, keys)),
        path,
        errors,
      );
  };
}

function keyOf(item: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => item[key] !== undefined).map((key) => [key, item[key]]));
}

/** Each repeated value once, at its second place. */
function reportRepeats(items: readonly unknown[], path: string, errors: FieldError[]): void {
  const times = new Map<string, number>();
  items.forEach((item, index) => {
    const key = stableJson(item);
    const count = (times.get(key) ?? 0) + 1;
    times.set(key, count);
    if (count === 2) errors.push(duplicate(`${path}[${index}]`, item));
  });
}
