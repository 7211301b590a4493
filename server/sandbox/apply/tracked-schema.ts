import { schemaAt } from "@/server/sandbox/schema/builtin-schema";
import { type Schema } from "@/server/sandbox/schema/schema";

const withMetadata = new WeakMap<Schema, Schema>();

/** The schema by which the fields of a kind are owned: a CRD's says nothing of metadata, which all kinds share. */
export function trackedSchema({ schema = {} }: { schema?: Schema }): Schema {
  const known = withMetadata.get(schema);
  if (known) return known;
  const tracked = { ...schema, properties: { ...schema.properties, metadata: schemaAt("meta.ObjectMeta") } };
  withMetadata.set(schema, tracked);
  return tracked;
}
