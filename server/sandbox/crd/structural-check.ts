import { isJsonObject, type Schema } from "@/server/sandbox/crd/schema";
import { equalJson, own } from "@/server/sandbox/json";
import { type FieldError, forbidden, invalid, required } from "@/server/sandbox/field-error";

type Level = "root" | "item" | "field";

/** What makes a schema structural: every field has a type, and logic (anyOf …) only narrows what is specified outside of it. */
export function structuralErrors(schema: Schema, path: string): FieldError[] {
  const errors = [...invariants(schema, "root", path), ...completeness(schema, path)];
  return errors.sort((a, b) => (`${a.field}${a.detail}` < `${b.field}${b.detail}` ? -1 : 1));
}

const emptyType: Record<Level, string> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function invariants(schema: Schema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.type === "array" && schema.items === undefined)
    errors.push(required(`${path}.items`, "must be specified"));
  if (schema.items) errors.push(...invariants(schema.items, "item", `${path}.items`));
  for (const [name, of] of Object.entries(schema.properties ?? {}))
    errors.push(...invariants(of, "field", propertyPath(path, name)));
  const extra = schema.additionalProperties;
  if (extra !== undefined && level === "root")
    errors.push(forbidden(`${path}.additionalProperties`, "must not be used at the root"));
  if (isJsonObject(extra)) errors.push(...invariants(extra, "field", `${path}.additionalProperties`));
  errors.push(...typeErrors(schema, level, path), ...extensionErrors(schema, path), ...logicErrors(schema, path));
  if (level === "root" || schema["x-kubernetes-embedded-resource"] === true)
    errors.push(...metaErrors(schema, level, path));
  return errors;
}

function typeErrors(schema: Schema, level: Level, path: string): FieldError[] {
  const type = schema.type ?? "";
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const why = "must be object if x-kubernetes-embedded-resource is true";
  if (embedded && type !== "object")
    return [type === "" ? required(`${path}.type`, why) : invalid(`${path}.type`, type, why)];
  const free = schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (type === "" && !free) return [required(`${path}.type`, emptyType[level])];
  if (level === "root" && type !== "" && type !== "object")
    return [invalid(`${path}.type`, type, "must be object at the root")];
  return [];
}

function extensionErrors(schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const preserves = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const excluded = "must be false if x-kubernetes-int-or-string is true";
  if (intOrString && preserves) errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, true, excluded));
  if (intOrString && embedded) errors.push(invalid(`${path}.x-kubernetes-embedded-resource`, true, excluded));
  if (embedded && schema.additionalProperties !== undefined) {
    errors.push(forbidden(`${path}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"));
  }
  if (embedded && !preserves && Object.keys(schema.properties ?? {}).length === 0) {
    const why =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(`${path}.properties`, why));
  }
  return errors;
}

const metaTypes = { kind: "string", apiVersion: "string", metadata: "object" };

function metaErrors({ properties = {} }: Schema, level: Level, path: string): FieldError[] {
  const errors = Object.entries(metaTypes).flatMap(([name, type]) => {
    const found = properties[name];
    return found && found.type !== type
      ? [invalid(`${propertyPath(path, name)}.type`, found.type ?? "", `must be ${type}`)]
      : [];
  });
  const metadata = properties["metadata"];
  if (level !== "root" || !metadata) return errors;
  const names = Object.keys(metadata.properties ?? {});
  const isExtended = Object.keys(metadata).some((key) => key.startsWith("x-"));
  if (isExtended || names.some((name) => name !== "name" && name !== "generateName")) {
    const why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(forbidden(propertyPath(path, "metadata"), why));
  }
  return errors;
}

const intOrStringTypes = [{ type: "integer" }, { type: "string" }];

function logicErrors(schema: Schema, path: string): FieldError[] {
  const skipAnyOf = schema["x-kubernetes-int-or-string"] === true && equalJson(schema.anyOf, intOrStringTypes);
  const skipAllOf =
    schema["x-kubernetes-int-or-string"] === true && equalJson(schema.allOf?.[0]?.anyOf, intOrStringTypes);
  return branchesOf(schema)
    .filter(({ key }) => !(skipAnyOf && key.startsWith("anyOf")))
    .flatMap(({ key, of }) =>
      nestedErrors(skipAllOf && key === "allOf[0]" ? { ...of, anyOf: [] } : of, `${path}.${key}`),
    )
    .concat(patternErrors(schema, path));
}

function patternErrors({ pattern }: Schema, path: string): FieldError[] {
  if (pattern === undefined) return [];
  try {
    new RegExp(pattern, "u");
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${why}`)];
  }
}

export function branchesOf(schema: Schema): { key: string; of: Schema }[] {
  return [
    ...(schema.anyOf ?? []).map((of, index) => ({ key: `anyOf[${index}]`, of })),
    ...(schema.allOf ?? []).map((of, index) => ({ key: `allOf[${index}]`, of })),
    ...(schema.oneOf ?? []).map((of, index) => ({ key: `oneOf[${index}]`, of })),
    ...(schema.not ? [{ key: "not", of: schema.not }] : []),
  ];
}

const forbiddenInside: Partial<Record<keyof Schema, string>> = {
  type: "must be empty to be structural",
  additionalProperties: "must be undefined to be structural",
  default: "must be undefined to be structural",
  title: "must be empty to be structural",
  description: "must be empty to be structural",
  nullable: "must be false to be structural",
  "x-kubernetes-preserve-unknown-fields": "must be false to be structural",
  "x-kubernetes-embedded-resource": "must be false to be structural",
  "x-kubernetes-int-or-string": "must be false to be structural",
  "x-kubernetes-list-map-keys": "must be empty to be structural",
  "x-kubernetes-list-type": "must be undefined to be structural",
  "x-kubernetes-map-type": "must be undefined to be structural",
};

function nestedErrors(schema: Schema, path: string): FieldError[] {
  const here = Object.entries(forbiddenInside).flatMap(([key, why]) => {
    const value = schema[key as keyof Schema]; // The table's keys are the schema's.
    return value === undefined || value === false || value === "" ? [] : [forbidden(`${path}.${key}`, why)];
  });
  if (schema.properties?.["metadata"])
    here.push(forbidden(propertyPath(path, "metadata"), "must not be specified in a nested context"));
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, of]) =>
    nestedErrors(of, propertyPath(path, name)),
  );
  const items = schema.items ? nestedErrors(schema.items, `${path}.items`) : [];
  return [...here, ...below, ...items, ...logicErrors(schema, path)];
}

/** What a branch at the root names must be specified outside of it. Branches further in are not looked at. */
function completeness(root: Schema, path: string): FieldError[] {
  return branchesOf(root).flatMap(({ key, of }) => missing(of, root, `${path}.${key}`, path));
}

function missing(branch: Schema, outside: Schema, path: string, outsidePath: string): FieldError[] {
  const properties = Object.entries(branch.properties ?? {}).flatMap(([name, of]) => {
    const known = own(outside.properties ?? {}, name);
    const at = propertyPath(outsidePath, name);
    return known
      ? missing(of, known, propertyPath(path, name), at)
      : [required(at, `because it is defined in ${propertyPath(path, name)}`)];
  });
  const items = !branch.items
    ? []
    : outside.items
      ? missing(branch.items, outside.items, `${path}.items`, `${outsidePath}.items`)
      : [required(`${outsidePath}.items`, `because it is defined in ${path}.items`)];
  return [
    ...properties,
    ...items,
    ...branchesOf(branch).flatMap(({ key, of }) => missing(of, outside, `${path}.${key}`, outsidePath)),
  ];
}

export function propertyPath(path: string, name: string): string {
  return `${path}.properties[${name}]`;
}
