import { celTypeOf } from "@/server/sandbox/crd/cel/cel-type";
import { compileExpression, type Variables } from "@/server/sandbox/crd/cel/compile-expression";
import { childPath, isJsonObject, type Schema, type ValidationRule } from "@/server/sandbox/crd/schema";
import { type FieldError, type FieldErrorType } from "@/server/sandbox/field-error";

/** Runs every CEL rule of a schema over a value. `before` is undefined where there is no old value to compare with. */
export type RuleCheck = (value: unknown, before: unknown, path: string, errors: FieldError[]) => void;

/** Null where no rule is set on the node or below it. */
export function compileRules(schema: Schema, isResource = false): RuleCheck | null {
  const isMeta = isResource || schema["x-kubernetes-embedded-resource"] === true;
  const type = celTypeOf(schema, isMeta);
  const types = new Map([
    ["self", type],
    ["oldSelf", type],
  ]);
  const own = (schema["x-kubernetes-validations"] ?? []).map((rule) => compileRule(rule, types, schema));
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, of]) => {
    const check = compileRules(of);
    return check ? [{ name, check }] : [];
  });
  const extra = isJsonObject(schema.additionalProperties) ? compileRules(schema.additionalProperties) : null;
  const item = schema.items === undefined ? null : compileRules(schema.items);
  if (own.length === 0 && properties.length === 0 && extra === null && item === null) return null;
  const beforeItem = itemBefore(schema);
  return (value, before, path, errors) => {
    if (value === null || value === undefined) return;
    for (const rule of own) rule(value, before, path, errors);
    if (Array.isArray(value)) {
      if (item) value.forEach((of, index) => item(of, beforeItem(of, before), `${path}[${index}]`, errors));
    } else if (isJsonObject(value)) {
      const old = isJsonObject(before) ? before : {};
      for (const { name, check } of properties) check(value[name], old[name], childPath(path, name), errors);
      if (extra) for (const name of Object.keys(value)) extra(value[name], old[name], `${path}[${name}]`, errors);
    }
  };
}

/** Only the items of a keyed list have a known predecessor. */
function itemBefore(schema: Schema): (item: unknown, before: unknown) => unknown {
  const keys = schema["x-kubernetes-list-map-keys"];
  if (schema["x-kubernetes-list-type"] !== "map" || !keys) return () => undefined;
  return (item, before) => {
    if (!Array.isArray(before) || !isJsonObject(item)) return undefined;
    return before.find((old) => isJsonObject(old) && keys.every((key) => old[key] === item[key])) as unknown;
  };
}

function compileRule(rule: ValidationRule, types: Parameters<typeof compileExpression>[1], schema: Schema): RuleCheck {
  const { run, uses } = compileExpression(rule.rule, types);
  const transition = uses.has("oldSelf");
  const saying = rule.messageExpression === undefined ? null : compileExpression(rule.messageExpression, types).run;
  const typeName = schema.type ?? "";
  const reason = rule.reason ?? "";
  const type = (Object.hasOwn(reasons, reason) ? reasons[reason] : undefined) ?? "FieldValueInvalid";
  const shown = rule.message?.trim() ?? rule.rule.trim();
  return (self, oldSelf, path, errors) => {
    if (transition && oldSelf === undefined && rule.optionalOldSelf !== true) return;
    const variables = { self, oldSelf };
    const field = fieldPathOf(path, rule.fieldPath);
    try {
      if (run(variables) !== true)
        errors.push({ type, field, badValue: typeName, detail: messageFor(rule, saying, variables) });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      errors.push({ type: "FieldValueInvalid", field, badValue: typeName, detail: failureText(problem, shown) });
    }
  };
}

const reasons: Record<string, FieldErrorType> = {
  FieldValueInvalid: "FieldValueInvalid",
  FieldValueForbidden: "FieldValueForbidden",
  FieldValueRequired: "FieldValueRequired",
  FieldValueDuplicate: "FieldValueDuplicate",
};

function failureText(problem: string, rule: string): string {
  if (!problem.startsWith("no such overload")) return `${problem} evaluating rule: ${rule}`;
  return `'${problem}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`;
}

function messageFor(
  rule: ValidationRule,
  saying: ((variables: Variables) => unknown) | null,
  variables: Variables,
): string {
  const fallback = rule.message?.trim() ?? `failed rule: ${rule.rule.trim()}`;
  if (saying === null) return fallback;
  try {
    const message = saying(variables);
    return typeof message === "string" && message.trim() !== "" && !message.includes("\n") ? message.trim() : fallback;
  } catch {
    return fallback;
  }
}

function fieldPathOf(path: string, below: string | undefined): string {
  const joined =
    below === undefined
      ? path
      : `${path}${below.startsWith("[") ? "" : "."}${below.replace(/^\./, "")}`.replace(/^\./, "");
  return joined === "" ? "<nil>" : joined;
}
