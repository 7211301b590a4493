import { expect, test } from "vitest";
import { observed, step } from "../lifecycle";
import { engineClassMachine, type EngineClassFacts } from "./engine-class.machine";

const calm: EngineClassFacts = { deleting: false, guarded: true, bound: true, templateAdmissible: true };

// prettier-ignore
const rows: [string, Partial<EngineClassFacts>, string, string[]][] = [
  // from                     what is true                         to                       what is done
  ["Unchecked",             { guarded: false },                  "Unchecked",             ["guard"]],
  ["Unchecked",             {},                                  "Admissible",            []],
  ["Unchecked",             { templateAdmissible: false },       "OperatorOwnedFieldSet", []],
  ["Admissible",            {},                                  "Admissible",            []],
  ["Admissible",            { templateAdmissible: false },       "OperatorOwnedFieldSet", []],
  ["OperatorOwnedFieldSet", {},                                  "Admissible",            []],
  ["Admissible",            { deleting: true },                  "DeletionBlocked",       []],
  ["DeletionBlocked",       { deleting: true },                  "DeletionBlocked",       []],
  ["DeletionBlocked",       { deleting: true, bound: false },    "DeletionBlocked",       ["release"]],
  ["Admissible",            { deleting: true, bound: false },    "Admissible",            ["release"]],
];

test.each(rows)("%s, %o → %s, %o", (state, facts, to, actions) => {
  expect(step(engineClassMachine, { state, facts: { ...calm, ...facts } }, observed)).toEqual({ state: to, actions });
});
