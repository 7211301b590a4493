import { CelError } from "@/server/sandbox/crd/cel/cel-error";
import { bool, celTypeOf, fits, string } from "@/server/sandbox/crd/cel/cel-type";
import { compileExpression } from "@/server/sandbox/crd/cel/compile-expression";
import { compileDefaults } from "@/server/sandbox/crd/default-values";
import { compilePrune } from "@/server/sandbox/crd/prune";
import { isJsonObject, type Schema, type ValidationRule } from "@/server/sandbox/crd/schema";
import { branchesOf, propertyPath, structuralErrors } from "@/server/sandbox/crd/structural-check";
import { compileCheck, type Findings } from "@/server/sandbox/crd/value-check";
import { type FieldError, forbidden, invalid, notSupported, required } from "@/server/sandbox/field-error";
import { goQuote } from "@/server/sandbox/go-format";
import { equalJson } from "@/server/sandbox/json";

/** Everything that is wrong with a definition's schema. */
export function schemaErrors(schema: Schema, path: string): FieldError[] {
  const errors = nodeErrors(schema, path, true);
  if (schema.nullable === true) errors.push(forbidden(`${path}.nullable`, "nullable cannot be true at the root"));
  errors.push(...structuralErrors(schema, path));
  if (errors.length > 0) return errors;
  return [...defaultErrors(schema, path), ...ruleErrors(schema, path, { isRoot: true, comparable: true })];
}

const types = ["array", "boolean", "integer", "number", "object", "string"];

const unsupported: Record<string, string> = {
  id: "id is not supported",
  additionalItems: "additionalItems is not supported",
  patternProperties: "patternProperties is not supported",
  definitions: "definitions is not supported",
  dependencies: "dependencies is not supported",
  $ref: "$ref is not supported",
};

function nodeErrors(schema: Schema, path: string, isRoot: boolean): FieldError[] {
  const errors = Object.entries(unsupported).flatMap(([key, why]) =>
    Object.hasOwn(schema, key) ? [forbidden(`${path}.${key}`, why)] : [],
  );
  if (schema.type !== undefined && schema.type !== "" && !types.includes(schema.type))
    errors.push(notSupported(`${path}.type`, schema.type, types));
  if (Array.isArray(schema.items))
    errors.push(forbidden(`${path}.items`, "items must be a schema object and not an array"));
  if (schema.uniqueItems === true) {
    errors.push(
      forbidden(
        `${path}.uniqueItems`,
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ),
    );
  }
  if (schema.additionalProperties !== undefined && Object.keys(schema.properties ?? {}).length > 0) {
    errors.push(forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"));
  }
  if (schema.additionalProperties === false)
    errors.push(forbidden(`${path}.additionalProperties`, "additionalProperties cannot be set to false"));
  if (isRoot && schema["x-kubernetes-embedded-resource"] === true) {
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, "must not be used at the root"));
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  errors.push(...listErrors(schema, path));
  return [...errors, ...childrenOf(schema, path).flatMap(({ of, at }) => nodeErrors(of, at, false))];
}

type Child = { of: Schema; at: string };

function childrenOf(schema: Schema, path: string): Child[] {
  return [...fieldsOf(schema, path), ...branchesOf(schema).map(({ key, of }) => ({ of, at: `${path}.${key}` }))];
}

function fieldsOf(schema: Schema, path: string): Child[] {
  const properties = Object.entries(schema.properties ?? {}).map(([name, of]) => ({
    of,
    at: propertyPath(path, name),
  }));
  const extra = isJsonObject(schema.additionalProperties)
    ? [{ of: schema.additionalProperties, at: `${path}.additionalProperties` }]
    : [];
  const items = isJsonObject(schema.items) ? [{ of: schema.items, at: `${path}.items` }] : [];
  return [...properties, ...extra, ...items];
}

function listErrors(schema: Schema, path: string): FieldError[] {
  const kind = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const errors: FieldError[] = [];
  if (kind !== undefined && !["atomic", "set", "map"].includes(kind))
    errors.push(notSupported(`${path}.x-kubernetes-list-type`, kind, ["atomic", "set", "map"]));
  if (kind !== undefined && schema.type !== "array") {
    const why = "must be array if x-kubernetes-list-type is specified";
    errors.push(schema.type ? invalid(`${path}.type`, schema.type, why) : required(`${path}.type`, why));
  }
  if (keys.length > 0 && kind !== "map") {
    const why = "must be map if x-kubernetes-list-map-keys is non-empty";
    errors.push(
      kind === undefined
        ? required(`${path}.x-kubernetes-list-type`, why)
        : invalid(`${path}.x-kubernetes-list-type`, kind, why),
    );
  }
  return kind === "map" ? [...errors, ...listMapErrors(schema, keys, path)] : errors;
}

function listMapErrors({ items }: Schema, keys: readonly string[], path: string): FieldError[] {
  const at = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) return [required(at, "must not be empty if x-kubernetes-list-type is map")];
  if (items === undefined) return [required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map")];
  if (items.type !== "object")
    return [
      invalid(`${path}.items.type`, items.type ?? "", "must be object if parent array's x-kubernetes-list-type is map"),
    ];
  return keys.flatMap((key): FieldError[] => {
    const of = items.properties?.[key];
    const where = propertyPath(`${path}.items`, key);
    if (!of) return [invalid(at, keys, "entries must all be names of item properties")];
    if (of.type === "array" || of.type === "object")
      return [
        invalid(`${where}.type`, items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"),
      ];
    if (of.default !== undefined || items.required?.includes(key)) return [];
    return [
      required(
        `${where}.default`,
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      ),
    ];
  });
}

/** A default must itself be valid, complete and without unknown fields. */
function defaultErrors(schema: Schema, path: string): FieldError[] {
  const below = fieldsOf(schema, path).flatMap(({ of, at }) => defaultErrors(of, at));
  if (schema.default === undefined) return below;
  const value = structuredClone(schema.default);
  compilePrune(schema, false)(value);
  if (!equalJson(value, schema.default))
    return [...below, invalid(`${path}.default`, schema.default, "must not have unknown fields")];
  compileDefaults(schema)?.(value);
  const findings: Findings = { errors: [], matched: 0 };
  compileCheck(schema)(value, `${path}.default`, findings);
  return [...below, ...findings.errors];
}

type RuleScope = { isRoot: boolean; comparable: boolean };

function ruleErrors(schema: Schema, path: string, { isRoot, comparable }: RuleScope): FieldError[] {
  const isMeta = isRoot || schema["x-kubernetes-embedded-resource"] === true;
  const type = celTypeOf(schema, isMeta);
  const scope = new Map([
    ["self", type],
    ["oldSelf", type],
  ]);
  const own = (schema["x-kubernetes-validations"] ?? []).flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    if (rule.rule.trim() === "") return [required(`${at}.rule`, "rule is not specified")];
    return [...expressionErrors(rule, scope, at, comparable ? null : path), ...messageErrors(rule, scope, at)];
  });
  const ordered = schema.items && schema["x-kubernetes-list-type"] !== "map";
  const below = fieldsOf(schema, path).flatMap(({ of, at }) =>
    ruleErrors(of, at, { isRoot: false, comparable: comparable && !ordered }),
  );
  return [...own, ...below];
}

type Scope = Parameters<typeof compileExpression>[1];

function expressionErrors(rule: ValidationRule, scope: Scope, path: string, incomparable: string | null): FieldError[] {
  try {
    const { type, uses } = compileExpression(rule.rule, scope);
    if (!fits(type, bool)) return [ruleInvalid(`${path}.rule`, rule, "compilation failed: must evaluate to a bool")];
    if (incomparable === null || !uses.has("oldSelf")) return [];
    return [
      ruleInvalid(
        `${path}.rule`,
        rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${incomparable}`,
      ),
    ];
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return [ruleInvalid(`${path}.rule`, rule, `compilation failed: ${error.message}`)];
  }
}

function messageErrors(rule: ValidationRule, scope: Scope, path: string): FieldError[] {
  if (rule.messageExpression === undefined) return [];
  try {
    const { type } = compileExpression(rule.messageExpression, scope);
    return fits(type, string)
      ? []
      : [
          ruleInvalid(
            `${path}.messageExpression`,
            rule,
            "messageExpression compilation failed: must evaluate to string",
          ),
        ];
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return [ruleInvalid(`${path}.messageExpression`, rule, `messageExpression compilation failed: ${error.message}`)];
  }
}

/** Kubernetes prints the whole rule as a Go value; the text of the rule is what helps. */
function ruleInvalid(field: string, rule: ValidationRule, detail: string): FieldError {
  const badText = `apiextensions.ValidationRule{Rule:${goQuote(rule.rule)}, Message:${goQuote(rule.message ?? "")}, MessageExpression:${goQuote(rule.messageExpression ?? "")}, Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:${goQuote(rule.fieldPath ?? "")}, OptionalOldSelf:(*bool)(nil)}`;
  return { type: "FieldValueInvalid", field, badText, detail };
}
