import { expect, test } from "vitest";
import type { Edge } from "../edges";
import { survivingMutants } from "../fixtures/mutants";
import { observed, step } from "../lifecycle";
import { engineClassMachine, type EngineClassFacts } from "./engine-class.machine";

const calm: EngineClassFacts = { deleting: false, guarded: true, bound: true, templateAdmissible: true };

// prettier-ignore
const rows = ["Unchecked", "Admissible", "OperatorOwnedFieldSet", "DeletionBlocked"].flatMap((state): [string, Partial<EngineClassFacts>, string, string[]][] => [
  // from   what is true                                    to                       what is done
  [state, { guarded: false },                             state,                   ["guard"]],
  [state, {},                                             "Admissible",            []],
  [state, { bound: false },                               "Admissible",            []],
  [state, { templateAdmissible: false },                  "OperatorOwnedFieldSet", []],
  [state, { deleting: true },                             "DeletionBlocked",       []],
  [state, { deleting: true, bound: false },               state,                   ["release"]],
]);

test.each(rows)("%s, %o → %s, %o", (state, facts, to, actions) => {
  expect(step(engineClassMachine, { state, facts: { ...calm, ...facts } }, observed)).toEqual({ state: to, actions });
});

test("each guard that is turned round and each row that is left out fails one of the rows above", () => {
  const steps = rows.map(([state, facts, to, actions]) => ({
    state,
    facts: { ...calm, ...facts },
    event: observed.type,
    isRight: (taken: Edge | null) => taken?.to === to && taken.actions.join() === actions.join(),
  }));
  expect(survivingMutants(engineClassMachine, steps)).toEqual([]);
});
