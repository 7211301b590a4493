import { own } from "@/server/sandbox/json";
import { isJsonObject, type JsonObject } from "@/server/sandbox/crd/schema";

/** A form that a field of a definition must have: undefined, or what is wrong with the value. */
type Form = (value: unknown, path: string) => string | undefined;

/**
 * The first field of a definition's spec that has the wrong form, as a sentence. What is null is taken out on the way,
 * as Kubernetes reads it.
 */
export function misshapenField(spec: unknown): string | undefined {
  return specForm(spec, "spec");
}

function primitive(type: "string" | "number" | "boolean"): Form {
  return (value, path) => (typeof value === type ? undefined : `${path} must be a ${type}`);
}

const text = primitive("string");
const number = primitive("number");
const flag = primitive("boolean");
const anything: Form = () => undefined;

function listOf(item: Form): Form {
  return (value, path) => {
    if (!Array.isArray(value)) return `${path} must be a list`;
    return first(value, (one, index) =>
      one === null ? `${path}[${index}] must not be null` : item(one, `${path}[${index}]`),
    );
  };
}

function first<T>(items: readonly T[], find: (item: T, index: number) => string | undefined): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function record(fields: Readonly<Record<string, Form>>): Form {
  return entries((name) => own(fields, name) ?? anything);
}

function entries(formOf: (name: string) => Form): Form {
  return (value, path) => {
    if (!isJsonObject(value)) return `${path} must be an object`;
    dropNulls(value);
    return first(Object.entries(value), ([name, of]) => formOf(name)(of, `${path}.${name}`));
  };
}

function dropNulls(value: JsonObject): void {
  for (const [name, of] of Object.entries(value)) if (of === null) Reflect.deleteProperty(value, name);
}

const schemaForm: Form = (value, path) => schemaRecord(value, path);
const schemaOrFlag: Form = (value, path) => (typeof value === "boolean" ? undefined : schemaForm(value, path));
const texts = listOf(text);

const ruleRecord = record({
  rule: text,
  message: text,
  messageExpression: text,
  reason: text,
  fieldPath: text,
  optionalOldSelf: flag,
});

/** A rule without a text is an empty one, which validation names. */
const rule: Form = (value, path) => {
  const misshapen = ruleRecord(value, path);
  if (misshapen === undefined && isJsonObject(value)) value["rule"] ??= "";
  return misshapen;
};

const schemaRecord = record({
  ...Object.fromEntries(
    ["type", "format", "title", "description", "pattern", "x-kubernetes-list-type", "x-kubernetes-map-type"].map(
      (name) => [name, text],
    ),
  ),
  ...Object.fromEntries(
    [
      "minimum",
      "maximum",
      "multipleOf",
      "minLength",
      "maxLength",
      "minItems",
      "maxItems",
      "minProperties",
      "maxProperties",
    ].map((name) => [name, number]),
  ),
  ...Object.fromEntries(
    [
      "nullable",
      "exclusiveMinimum",
      "exclusiveMaximum",
      "uniqueItems",
      "x-kubernetes-preserve-unknown-fields",
      "x-kubernetes-embedded-resource",
      "x-kubernetes-int-or-string",
    ].map((name) => [name, flag]),
  ),
  required: texts,
  "x-kubernetes-list-map-keys": texts,
  "x-kubernetes-validations": listOf(rule),
  enum: (value, path) => (Array.isArray(value) ? undefined : `${path} must be a list`),
  properties: entries(() => schemaForm),
  additionalProperties: schemaOrFlag,
  items: (value, path) => (Array.isArray(value) ? undefined : schemaForm(value, path)),
  not: schemaForm,
  allOf: listOf(schemaForm),
  anyOf: listOf(schemaForm),
  oneOf: listOf(schemaForm),
});

const column = record({ name: text, type: text, format: text, description: text, priority: number, jsonPath: text });
const scale = record({ specReplicasPath: text, statusReplicasPath: text, labelSelectorPath: text });

const version = record({
  name: text,
  served: flag,
  storage: flag,
  deprecated: flag,
  deprecationWarning: text,
  schema: record({ openAPIV3Schema: schemaForm }),
  subresources: record({ status: record({}), scale }),
  additionalPrinterColumns: listOf(column),
});

const specForm = record({
  group: text,
  scope: text,
  names: record({ plural: text, singular: text, kind: text, listKind: text, shortNames: texts, categories: texts }),
  versions: listOf(version),
  preserveUnknownFields: flag,
  conversion: record({ strategy: text }),
});
