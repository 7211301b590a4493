import { childPath, isJsonObject, type JsonObject, type Schema } from "@/server/sandbox/crd/schema";
import { type FieldError, required } from "@/server/sandbox/field-error";

type EmbeddedCheck = (value: unknown, path: string, errors: FieldError[]) => void;

/** A resource inside a resource must say what it is. Null where the schema embeds none. */
export function compileEmbedded(schema: Schema): EmbeddedCheck | null {
  const own = schema["x-kubernetes-embedded-resource"] === true;
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, of]) => {
    const check = compileEmbedded(of);
    return check ? [{ name, check }] : [];
  });
  const extra = isJsonObject(schema.additionalProperties) ? compileEmbedded(schema.additionalProperties) : null;
  const item = schema.items === undefined ? null : compileEmbedded(schema.items);
  if (!own && properties.length === 0 && extra === null && item === null) return null;
  return (value, path, errors) => {
    if (Array.isArray(value)) {
      if (item) value.forEach((of, index) => item(of, `${path}[${index}]`, errors));
    } else if (isJsonObject(value)) {
      if (own) checkIdentity(value, path, errors);
      for (const { name, check } of properties) check(value[name], childPath(path, name), errors);
      if (extra) for (const name of Object.keys(value)) extra(value[name], `${path}[${name}]`, errors);
    }
  };
}

function checkIdentity(resource: JsonObject, path: string, errors: FieldError[]): void {
  for (const name of ["apiVersion", "kind"]) {
    if (typeof resource[name] !== "string" || resource[name] === "")
      errors.push(required(childPath(path, name), "must not be empty"));
  }
}
