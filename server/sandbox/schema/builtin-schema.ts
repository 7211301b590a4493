import { addressOf, messageAt, tableOf } from "@/server/sandbox/schema/builtin-messages";
import { type Field } from "@/server/sandbox/schema/parse-table";
import { type Schema } from "@/server/sandbox/schema/schema";

/** The schema of a built-in kind, or undefined for a kind that has none. Parts that kinds share are one schema. */
export function builtinSchema({
  group,
  version,
  kind,
}: {
  group: string;
  version: string;
  kind: string;
}): Schema | undefined {
  const table = tableOf(group, version);
  const address = `${table}.${kind}`;
  return table && messageAt(address) ? schemaAt(address) : undefined;
}

const schemas = new Map<string, Schema>();
const addresses = new WeakMap<Schema, string>();

/** `core.PodSpec` for the schema of one; undefined for a scalar, a list, or a schema of a CRD. */
export function addressOfSchema(schema: Schema): string | undefined {
  return addresses.get(schema);
}

/** The name that Kubernetes gives a scalar which is more than a plain one. */
export function scalarDefinition(schema: Schema): string | undefined {
  return scalarDefinitions.get(schema);
}

/** Of a field that is there only with another value than zero or false. */
export function omitsZero(schema: Schema): boolean {
  return zeroless.has(schema);
}

export function schemaAt(address: string): Schema {
  const known = schemas.get(address);
  if (known) return known;
  const message = messageAt(address);
  if (!message) throw new Error(`The schema tables have no ${address}`);
  const table = address.slice(0, address.indexOf("."));
  const isKind = message.fields.some(({ type }) => type === "meta.ObjectMeta" || type === "meta.ListMeta");
  const fields = fieldsOf(table, message.fields);
  const schema: Schema = {
    type: "object",
    properties: {
      ...(isKind ? { apiVersion: text, kind: text } : {}),
      ...Object.fromEntries(fields.map(({ name, schema: inner }) => [name, inner])),
    },
    ...(fields.some(({ required }) => required)
      ? { required: fields.filter(({ required }) => required).map(({ name }) => name) }
      : {}),
    ...(message.atomic ? { "x-kubernetes-map-type": "atomic" } : {}),
  };
  schemas.set(address, schema);
  addresses.set(schema, address);
  return schema;
}

type NamedSchema = { name: string; required: boolean; schema: Schema };

function fieldsOf(table: string, fields: readonly Field[]): NamedSchema[] {
  return fields.flatMap((field) => {
    if (!field.inline) return [{ name: field.name, required: field.required, schema: fieldSchema(table, field) }];
    const address = addressOf(table, field.type);
    return fieldsOf(address.slice(0, address.indexOf(".")), messageAt(address)?.fields ?? []);
  });
}

function fieldSchema(table: string, field: Field): Schema {
  const inner = (field.omitsZero ? zerolessScalars : scalars)[field.type] ?? schemaAt(addressOf(table, field.type));
  if (field.shape === "map") return { type: "object", additionalProperties: inner };
  const strategy = [field.mergeKey !== null || field.set ? "merge" : "", field.retainKeys ? "retainKeys" : ""]
    .filter(Boolean)
    .join(",");
  const patch = {
    ...(strategy === "" ? {} : { "x-kubernetes-patch-strategy": strategy }),
    ...(field.mergeKey === null ? {} : { "x-kubernetes-patch-merge-key": field.mergeKey }),
  };
  if (field.shape === "one") return field.retainKeys ? { ...inner, ...patch } : inner;
  const listType = field.keys.length > 0 ? "map" : field.set ? "set" : "atomic";
  return {
    type: "array",
    items: inner,
    "x-kubernetes-list-type": listType,
    ...(field.keys.length > 0 ? { "x-kubernetes-list-map-keys": field.keys } : {}),
    ...patch,
  };
}

const text: Schema = { type: "string" };

const scalars: Readonly<Record<string, Schema>> = {
  s: text,
  i: { type: "integer", format: "int32" },
  l: { type: "integer", format: "int64" },
  b: { type: "boolean" },
  d: { type: "number", format: "double" },
  y: { type: "string", format: "byte" },
  Q: { "x-kubernetes-int-or-string": true, format: "quantity" },
  T: { type: "string", format: "date-time" },
  M: { type: "string", format: "date-time" },
  D: { type: "string" },
  X: { "x-kubernetes-int-or-string": true, format: "int-or-string" },
  R: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  F: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  V: { type: "array", items: text },
};

/** Schemas of their own, so that a field can be told by its schema and OpenAPI shows no difference. */
const zerolessScalars: Readonly<Record<string, Schema>> = Object.fromEntries(
  Object.entries(scalars).map(([letter, schema]) => [letter, { ...schema }]),
);
const zeroless = new WeakSet<Schema>(Object.values(zerolessScalars));

const scalarDefinitions = new Map<Schema | undefined, string>([
  [scalars["X"], "io.k8s.apimachinery.pkg.util.intstr.IntOrString"],
  [scalars["Q"], "io.k8s.apimachinery.pkg.api.resource.Quantity"],
]);
