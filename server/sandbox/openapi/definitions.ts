import { definitionName } from "@/server/sandbox/schema/builtin-messages";
import { addressOfSchema, scalarDefinition, schemaAt } from "@/server/sandbox/schema/builtin-schema";
import { type Schema } from "@/server/sandbox/schema/schema";
import { type ResourceType } from "@/server/sandbox/type-registry";
import { descriptions } from "@/server/sandbox/openapi/descriptions";

export type Definition = Record<string, unknown>;

/** Collects the definitions of kinds and of all that they refer to, in either version of OpenAPI. */
export function createDefinitions(prefix: "#/definitions/" | "#/components/schemas/") {
  const definitions: Record<string, Definition> = {};
  const wrapRefs = prefix === "#/components/schemas/";

  function refTo(address: string): Definition {
    const name = definitionName(address);
    if (!(name in definitions)) {
      definitions[name] = {};
      definitions[name] = bodyOf(schemaAt(address), descriptions[address.slice(address.indexOf(".") + 1)]);
    }
    return { $ref: `${prefix}${name}` };
  }

  /** What is a number or text has a definition of its own, by whose name `kubectl explain` calls it. */
  function refToScalar(schema: Schema): Definition | null {
    const name = scalarDefinition(schema);
    if (name === undefined) return null;
    definitions[name] ??= bodyOf(schema);
    return { $ref: `${prefix}${name}` };
  }

  function shown(schema: Schema, description?: string): Definition {
    const address = addressOfSchema(schema);
    const ref = address === undefined ? refToScalar(schema) : refTo(address);
    if (ref === null) return bodyOf(schema, description);
    if (description === undefined) return ref;
    // A $ref of OpenAPI 3.0 allows nothing beside it, so it is wrapped.
    return wrapRefs ? { allOf: [ref], description } : { ...ref, description };
  }

  function bodyOf(schema: Schema, description?: string): Definition {
    const { properties, items, additionalProperties, "x-kubernetes-int-or-string": intOrString, ...rest } = schema;
    const own = description ?? schema.description;
    const body: Definition = { ...rest, ...(own === undefined ? {} : { description: own }) };
    if (intOrString && schema.format) Object.assign(body, intOrStringShown(schema.format));
    else if (intOrString) body["x-kubernetes-int-or-string"] = true;
    const parent = addressOfSchema(schema)?.split(".")[1];
    if (properties) {
      body["properties"] = Object.fromEntries(
        Object.entries(properties).map(([key, inner]) => [
          key,
          // What a definition says of its fields is its own affair.
          shown(
            inner,
            parent === undefined ? inner.description : (descriptions[`${parent}.${key}`] ?? descriptions[key]),
          ),
        ]),
      );
    }
    if (items) body["items"] = shown(items);
    if (additionalProperties !== undefined)
      body["additionalProperties"] =
        typeof additionalProperties === "object" ? shown(additionalProperties) : additionalProperties;
    return body;
  }

  function intOrStringShown(format: string): Definition {
    if (wrapRefs)
      return { oneOf: [{ type: "string" }, { type: format === "quantity" ? "number" : "integer" }], format };
    return { type: "string", format };
  }

  return {
    definitions,
    shown,
    /** The definition of a kind, under the name that Kubernetes gives it, marked with its group, version and kind. */
    addKind: (type: ResourceType): string => {
      const address = type.schema ? addressOfSchema(type.schema) : undefined;
      const name = address
        ? definitionName(address)
        : [...type.group.split(".").reverse(), type.version, type.kind].join(".");
      if (address && type.schema) refTo(address);
      else definitions[name] = customDefinition(type);
      const { group, version, kind } = type;
      definitions[name] = { ...definitions[name], "x-kubernetes-group-version-kind": [{ group, version, kind }] };
      return name;
    },
  };

  function customDefinition(type: ResourceType): Definition {
    const body = bodyOf(type.schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true });
    const properties = body["properties"];
    const implied = {
      apiVersion: { type: "string", description: descriptions["apiVersion"] },
      kind: { type: "string", description: descriptions["kind"] },
    };
    return {
      type: "object",
      ...body,
      properties: {
        ...(properties as object | undefined),
        ...implied,
        metadata: shown(schemaAt("meta.ObjectMeta"), descriptions["metadata"]),
      },
    };
  }
}
