import { isJsonObject, type JsonObject, type Schema } from "@/server/sandbox/crd/schema";

/** Drops, in place, every field that the schema does not know. */
export type Prune = (value: unknown) => void;

const metaFields = ["apiVersion", "kind", "metadata"];

export function compilePrune(schema: Schema, isResource: boolean): Prune {
  const extra = schema.additionalProperties;
  const pruneExtra = isJsonObject(extra) ? compilePrune(extra, false) : null;
  const pruneItem =
    schema.items === undefined
      ? null
      : compilePrune(schema.items, schema.items["x-kubernetes-embedded-resource"] === true);
  const known = propertiesOf(schema);
  const hasMeta = isResource || schema["x-kubernetes-embedded-resource"] === true;
  if (hasMeta) for (const name of metaFields) known.set(name, null);
  const keeps =
    schema["x-kubernetes-preserve-unknown-fields"] === true ||
    extra === true ||
    schema.type !== "object" ||
    pruneExtra !== null;
  return (value) => {
    if (Array.isArray(value)) {
      if (pruneItem !== null) value.forEach(pruneItem);
      return;
    }
    if (isJsonObject(value)) pruneObject(value, known, keeps, pruneExtra);
  };
}

function propertiesOf(schema: Schema): Map<string, Prune | null> {
  const entries = Object.entries(schema.properties ?? {});
  return new Map(entries.map(([name, of]) => [name, compilePrune(of, of["x-kubernetes-embedded-resource"] === true)]));
}

function pruneObject(
  value: JsonObject,
  known: Map<string, Prune | null>,
  keeps: boolean,
  pruneExtra: Prune | null,
): void {
  for (const name of Object.keys(value)) {
    const prune = known.get(name);
    if (prune === undefined && !keeps) Reflect.deleteProperty(value, name);
    else (prune === undefined ? pruneExtra : prune)?.(value[name]);
  }
}
