import { compileDefaults, type SetDefaults } from "@/server/sandbox/crd/default-values";
import { compileEmbedded } from "@/server/sandbox/crd/embedded-check";
import { compileListTypes } from "@/server/sandbox/crd/list-type-check";
import { compilePrune, type Prune } from "@/server/sandbox/crd/prune";
import { compileRules } from "@/server/sandbox/crd/rule-check";
import { type Schema } from "@/server/sandbox/crd/schema";
import { compileCheck, type Findings } from "@/server/sandbox/crd/value-check";
import { type FieldError, invalid } from "@/server/sandbox/field-error";

/** A version's schema made ready once, so that each write only runs closures. */
export type CompiledSchema = {
  prune: Prune;
  setDefaults: SetDefaults;
  /** `before` is the stored object of an update, undefined for a create. */
  validate: (value: unknown, before?: unknown) => FieldError[];
};

export function compileSchema(schema: Schema): CompiledSchema {
  const check = compileCheck(schema);
  const checkRules = compileRules(schema, true);
  const checkLists = compileListTypes(schema);
  const checkEmbedded = compileEmbedded(schema);
  return {
    prune: compilePrune(schema, true),
    setDefaults: compileDefaults(schema) ?? (() => undefined),
    validate: (value, before) => {
      const findings: Findings = { errors: [], matched: 0 };
      check(value, "", findings);
      const { errors } = findings;
      checkEmbedded?.(value, "", errors);
      checkLists?.(value, "", errors);
      if (checkRules === null) return errors;
      if (errors.some(({ type }) => blocking.has(type))) errors.push(rulesSkipped);
      else checkRules(value, before, "", errors);
      return errors;
    },
  };
}

/** Rules would stumble over a value that is missing, too big or of the wrong type. */
const blocking: ReadonlySet<FieldError["type"]> = new Set<FieldError["type"]>([
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const rulesSkipped = invalid(
  "<nil>",
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
);
