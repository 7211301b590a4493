import { expect, test } from "vitest";
import type { Edge } from "../edges";
import { survivingMutants } from "../fixtures/mutants";
import { observed, step } from "../lifecycle";
import { instanceMachine, type InstanceFacts } from "./instance.machine";

const calm: InstanceFacts = {
  deleting: false,
  registered: true,
  recoverable: true,
  specAdmitted: true,
  partsCurrent: true,
  metadataReady: true,
  gatewayReady: true,
};

// prettier-ignore
const rows: [string, Partial<InstanceFacts>, string, string[]][] = [
  // from            what is true                                    to              what is done
  ["Provisioning", { registered: false },                          "Provisioning", ["register"]],
  ["Provisioning", { partsCurrent: false, metadataReady: false },  "Provisioning", ["provision"]],
  ["Provisioning", { metadataReady: false },                       "Provisioning", []],
  ["Provisioning", { gatewayReady: false },                        "Provisioning", []],
  ["Provisioning", { specAdmitted: false },                        "Provisioning", ["refuseSpec"]],
  ["Provisioning", {},                                             "Ready",        []],
  ["Provisioning", { recoverable: false },                         "Failed",       ["giveUp"]],
  ["Provisioning", { deleting: true },                             "Provisioning", ["removeEverything"]],
  ["Ready",        { registered: false },                          "Ready",        ["register"]],
  ["Ready",        {},                                             "Ready",        []],
  ["Ready",        { partsCurrent: false },                        "Ready",        ["provision"]],
  ["Ready",        { metadataReady: false },                       "Degraded",     []],
  ["Ready",        { gatewayReady: false, specAdmitted: false },   "Degraded",     []],
  ["Ready",        { specAdmitted: false },                        "Degraded",     ["refuseSpec"]],
  ["Ready",        { recoverable: false },                         "Failed",       ["giveUp"]],
  ["Degraded",     { deleting: true },                             "Degraded",     ["removeEverything"]],
  ["Degraded",     { registered: false },                          "Degraded",     ["register"]],
  ["Degraded",     { specAdmitted: false },                        "Degraded",     ["refuseSpec"]],
  ["Degraded",     {},                                             "Ready",        []],
  ["Degraded",     { metadataReady: false },                       "Degraded",     []],
  ["Degraded",     { partsCurrent: false, gatewayReady: false },   "Degraded",     ["provision"]],
  ["Degraded",     { recoverable: false },                         "Failed",       ["giveUp"]],
  ["Failed",       {},                                             "Failed",       []],
  ["Failed",       { partsCurrent: false },                        "Failed",       []],
  ["Failed",       { deleting: true },                             "Failed",       ["removeEverything"]],
  ["Ready",        { deleting: true },                             "Ready",        ["removeEverything"]],
];

test.each(rows)("%s, %o → %s, %o", (state, facts, to, actions) => {
  expect(step(instanceMachine, { state, facts: { ...calm, ...facts } }, observed)).toEqual({ state: to, actions });
});

test("each guard that is turned round and each row that is left out fails one of the rows above", () => {
  const steps = rows.map(([state, facts, to, actions]) => ({
    state,
    facts: { ...calm, ...facts },
    event: observed.type,
    isRight: (taken: Edge | null) => (taken?.to ?? state) === to && (taken?.actions ?? []).join() === actions.join(),
  }));
  expect(survivingMutants(instanceMachine, steps)).toEqual([]);
});
