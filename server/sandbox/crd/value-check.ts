import { compileComposition } from "@/server/sandbox/crd/composition-check";
import { compileFormat } from "@/server/sandbox/crd/format-check";
import { isJsonObject, type Schema, childPath, typeNameOf } from "@/server/sandbox/crd/schema";
import { goNumber } from "@/server/sandbox/go-format";
import { type FieldError, invalid, notSupported, required } from "@/server/sandbox/field-error";
import { stableJson } from "@/server/sandbox/crd/stable-json";

/** What a check found: the errors, and how much did match (it picks the alternative to report of a failed oneOf). */
export type Findings = { errors: FieldError[]; matched: number };

export type ValueCheck = (value: unknown, path: string, findings: Findings) => void;

/** Compiles one schema node, and all below it, to a single function. */
export function compileCheck(schema: Schema): ValueCheck {
  const checks = [
    compileType(schema),
    compileComposition(schema, compileCheck),
    compileString(schema),
    compileFormat(schema),
    compileNumber(schema),
    compileArray(schema),
    compileEnum(schema),
    compileObject(schema),
  ].filter((check) => check !== null);
  const forNull = [compileType(schema), compileEnum(schema)].filter((check) => check !== null);
  return (value, path, findings) => {
    for (const check of value === null || value === undefined ? forNull : checks) {
      check(value, path, findings);
      findings.matched++;
    }
    findings.matched++;
  };
}

function compileType(schema: Schema): ValueCheck | null {
  const types =
    schema["x-kubernetes-int-or-string"] === true ? ["integer", "string"] : schema.type ? [schema.type] : [];
  if (types.length === 0) return null;
  const allowed = new Set(types.includes("number") ? [...types, "integer"] : types);
  if (schema.nullable === true) allowed.add("null");
  const expected = types.join(",");
  return (value, path, findings) => {
    const found = typeNameOf(value);
    if (allowed.has(found)) findings.matched++;
    else findings.errors.push(typeError(path, expected, found));
  };
}

function typeError(path: string, expected: string, found: string): FieldError {
  const detail = `${path} in body must be of type ${expected}: ${JSON.stringify(found)}`;
  return { type: "FieldValueTypeInvalid", field: path === "" ? "<nil>" : path, badValue: found, detail };
}

function compileString({ minLength, maxLength, pattern }: Schema): ValueCheck | null {
  if (minLength === undefined && maxLength === undefined && pattern === undefined) return null;
  const expression = pattern === undefined ? null : new RegExp(pattern, "u");
  return (value, path, { errors }) => {
    if (typeof value !== "string") return;
    const length = lengthOf(value);
    if (maxLength !== undefined && length > maxLength) {
      errors.push({ type: "FieldValueTooLong", field: path, detail: `may not be more than ${maxLength} bytes` });
    }
    if (minLength !== undefined && length < minLength) {
      errors.push(invalid(path, value, `${path} in body should be at least ${minLength} chars long`));
    }
    if (expression !== null && !expression.test(value)) {
      errors.push(invalid(path, value, `${path} in body should match '${String(pattern)}'`));
    }
  };
}

/** Runes, not UTF-16 units; a pair of surrogates is one. */
export function lengthOf(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

function compileNumber(schema: Schema): ValueCheck | null {
  const { minimum, maximum, multipleOf } = schema;
  if (minimum === undefined && maximum === undefined && multipleOf === undefined) return null;
  const tooLow = (value: number) =>
    schema.exclusiveMinimum === true ? value <= Number(minimum) : value < Number(minimum);
  const tooHigh = (value: number) =>
    schema.exclusiveMaximum === true ? value >= Number(maximum) : value > Number(maximum);
  const atLeast = schema.exclusiveMinimum === true ? "greater than" : "greater than or equal to";
  const atMost = schema.exclusiveMaximum === true ? "less than" : "less than or equal to";
  return (value, path, { errors }) => {
    if (typeof value !== "number") return;
    if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) {
      errors.push(invalid(path, value, `${path} in body should be a multiple of ${goNumber(multipleOf)}`));
    }
    if (maximum !== undefined && tooHigh(value)) {
      errors.push(invalid(path, value, `${path} in body should be ${atMost} ${goNumber(maximum)}`));
    }
    if (minimum !== undefined && tooLow(value)) {
      errors.push(invalid(path, value, `${path} in body should be ${atLeast} ${goNumber(minimum)}`));
    }
  };
}

function compileArray({ items, minItems, maxItems, uniqueItems }: Schema): ValueCheck | null {
  const checkItem = items === undefined ? null : compileCheck(items);
  if (checkItem === null && minItems === undefined && maxItems === undefined && uniqueItems !== true) return null;
  return (value, path, findings) => {
    if (!Array.isArray(value)) return;
    if (checkItem !== null) value.forEach((item, index) => checkItem(item, `${path}[${index}]`, findings));
    const { errors } = findings;
    if (minItems !== undefined && value.length < minItems) {
      errors.push(invalid(path, value.length, `${path} in body should have at least ${minItems} items`));
    }
    if (maxItems !== undefined && value.length > maxItems) errors.push(tooMany(path, value.length, maxItems));
    if (uniqueItems === true && new Set(value.map(stableJson)).size < value.length) {
      errors.push(invalid(path, "", `${path} in body shouldn't contain duplicates`));
    }
  };
}

function tooMany(field: string, actual: number, most: number): FieldError {
  return { type: "FieldValueTooMany", field, badValue: actual, detail: `must have at most ${most} items` };
}

function compileEnum({ enum: allowed }: Schema): ValueCheck | null {
  if (allowed === undefined) return null;
  const known = new Set(allowed.map(stableJson));
  const shown = allowed.map((item) => (typeof item === "string" ? item : JSON.stringify(item)));
  return (value, path, { errors }) => {
    if (!known.has(stableJson(value))) errors.push(notSupported(path, value, shown));
  };
}

function compileObject(schema: Schema): ValueCheck | null {
  const checkProperty = new Map(Object.entries(schema.properties ?? {}).map(([name, of]) => [name, compileCheck(of)]));
  const extra = schema.additionalProperties;
  const checkExtra = isJsonObject(extra) ? compileCheck(extra) : null;
  const { required: needed = [], minProperties, maxProperties } = schema;
  return (value, path, findings) => {
    if (!isJsonObject(value)) return;
    const { errors } = findings;
    const names = Object.keys(value);
    if (minProperties !== undefined && names.length < minProperties) {
      errors.push(invalid(path, names.length, `${path} in body should have at least ${minProperties} properties`));
      return;
    }
    if (maxProperties !== undefined && names.length > maxProperties) {
      errors.push(tooMany(path, names.length, maxProperties));
      return;
    }
    for (const name of names) {
      const check = checkProperty.get(name) ?? checkExtra;
      if (check) check(value[name], childPath(path, name), findings);
      else if (extra === false) errors.push(invalid(path, name, `${path}.${name} in body is a forbidden property`));
    }
    for (const name of needed) if (!Object.hasOwn(value, name)) errors.push(required(childPath(path, name)));
  };
}
