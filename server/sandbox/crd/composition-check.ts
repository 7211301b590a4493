import { type Schema } from "@/server/sandbox/crd/schema";
import { type Findings, type ValueCheck } from "@/server/sandbox/crd/value-check";
import { type FieldError, invalid } from "@/server/sandbox/field-error";

/** anyOf, oneOf, allOf and not. A failed choice also reports the alternative that matched most. */
export function compileComposition(schema: Schema, compile: (of: Schema) => ValueCheck): ValueCheck | null {
  const parts = [
    anyOf(schema.anyOf?.map(compile) ?? []),
    oneOf(schema.oneOf?.map(compile) ?? []),
    allOf(schema.allOf?.map(compile) ?? []),
    not(schema.not === undefined ? null : compile(schema.not)),
  ].filter((check) => check !== null);
  if (parts.length === 0) return null;
  return (value, path, findings) => {
    for (const check of parts) check(value, path, findings);
    findings.matched++;
  };
}

function anyOf(alternatives: readonly ValueCheck[]): ValueCheck | null {
  if (alternatives.length === 0) return null;
  return (value, path, findings) => {
    let best: Findings | null = null;
    for (const alternative of alternatives) {
      const result = run(alternative, value, path);
      if (result.errors.length === 0) return void (findings.matched += result.matched);
      if (best === null || result.matched > best.matched) best = result;
    }
    findings.errors.push(failure(`"${path}" must validate at least one schema (anyOf)`));
    merge(findings, best);
  };
}

function oneOf(alternatives: readonly ValueCheck[]): ValueCheck | null {
  if (alternatives.length === 0) return null;
  return (value, path, findings) => {
    const results = alternatives.map((alternative) => run(alternative, value, path));
    const valid = results.filter((result) => result.errors.length === 0);
    if (valid.length === 1) {
      merge(findings, valid[0] ?? null);
      return;
    }
    const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
    findings.errors.push(failure(`"${path}" must validate one and only one schema (oneOf). ${found}`));
    if (valid.length === 0)
      merge(
        findings,
        results.reduce((best, result) => (result.matched > best.matched ? result : best)),
      );
  };
}

function allOf(parts: readonly ValueCheck[]): ValueCheck | null {
  if (parts.length === 0) return null;
  return (value, path, findings) => {
    const results = parts.map((part) => run(part, value, path));
    results.forEach((result) => merge(findings, result));
    const valid = results.filter((result) => result.errors.length === 0).length;
    if (valid === parts.length) return;
    const none = valid === 0 ? ". None validated" : "";
    findings.errors.push(failure(`"${path}" must validate all the schemas (allOf)${none}`));
  };
}

function not(excluded: ValueCheck | null): ValueCheck | null {
  if (excluded === null) return null;
  return (value, path, findings) => {
    if (run(excluded, value, path).errors.length > 0) return;
    findings.errors.push(failure(`"${path}" must not validate the schema (not)`));
  };
}

function run(check: ValueCheck, value: unknown, path: string): Findings {
  const findings: Findings = { errors: [], matched: 0 };
  check(value, path, findings);
  return findings;
}

function merge(into: Findings, from: Findings | null): void {
  if (from === null) return;
  into.errors.push(...from.errors);
  into.matched += from.matched;
}

/** Kubernetes gives these no field of their own. */
function failure(detail: string): FieldError {
  return invalid("<nil>", "", detail);
}
