import { type CrdVersion } from "@/server/sandbox/crd/custom-resource-definition";
import { type Schema } from "@/server/sandbox/crd/schema";
import { duplicate, type FieldError, invalid, required } from "@/server/sandbox/field-error";
import { own, recordOf } from "@/server/sandbox/json";
import { type Strategy } from "@/server/sandbox/type-registry";

type Readers = NonNullable<Strategy["selectableFields"]>;

const FIELDS_MAX = 8;
const SELECTABLE_TYPES = new Set(["string", "boolean", "integer"]);

/** The fields by which the objects of a version may be selected, besides their name and namespace (Kubernetes 1.30 on). */
export function selectableFields({ selectableFields: fields = [] }: CrdVersion): Readers {
  return Object.fromEntries(
    fields.map(({ jsonPath }) => {
      const keys = keysOf(jsonPath);
      return [keys.join("."), (object) => textAt(object, keys)];
    }),
  );
}

function textAt(object: unknown, keys: readonly string[]): string {
  const value = keys.reduce<unknown>((inner, key) => own(recordOf(inner), key), object);
  return typeof value === "string" || typeof value === "boolean" || typeof value === "number" ? String(value) : "";
}

/** `.spec.color` as its keys. */
function keysOf(jsonPath: string): string[] {
  return jsonPath.split(".").slice(1);
}

export function selectableFieldErrors({ selectableFields: fields = [], schema }: CrdVersion, path: string) {
  const errors: FieldError[] = [];
  const known = new Set<string>();
  fields.forEach(({ jsonPath }, index) => {
    const field = `${path}[${index}].jsonPath`;
    if (!jsonPath) return errors.push(required(field));
    const found = schemaAt(schema?.openAPIV3Schema, jsonPath);
    if (typeof found === "string") return errors.push(invalid(field, jsonPath, `is an invalid path: ${found}`));
    if (keysOf(jsonPath)[0] === "metadata")
      errors.push(invalid(field, jsonPath, "must not point to fields in metadata"));
    if (!SELECTABLE_TYPES.has(found.type ?? "")) {
      const rule =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      errors.push(invalid(field, jsonPath, rule));
    }
    if (known.has(jsonPath)) errors.push(duplicate(field, jsonPath));
    return known.add(jsonPath);
  });
  if (known.size > FIELDS_MAX) {
    const detail = `must have at most ${FIELDS_MAX} items`;
    errors.push({ type: "FieldValueTooMany", field: path, badValue: known.size, detail });
  }
  return errors;
}

/** What the schema says of the field that a path leads to, or why it leads nowhere. */
function schemaAt(schema: Schema | undefined, jsonPath: string): Schema | string {
  if (jsonPath.includes("[")) return "array notation is not allowed";
  let found = schema;
  for (const key of keysOf(jsonPath)) found = found?.properties && own(found.properties, key);
  return found ?? "does not refer to a valid field";
}
