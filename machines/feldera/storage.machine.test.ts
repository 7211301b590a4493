import { expect, test } from "vitest";
import { commandsAllowed } from "../commands";
import { observed, step } from "../lifecycle";
import { storageMachine, type StorageFacts } from "./storage.machine";

const calm: StorageFacts = { resources: "Stopped", startWanted: false, clearAsked: false, claim: "absent" };

// prettier-ignore
test.each([
  // from      what is true                                              to          what is done
  ["Cleared",  {},                                                       "Cleared",  []],
  ["Cleared",  { clearAsked: true },                                     "Cleared",  []],
  ["Cleared",  { startWanted: true },                                    "Cleared",  []],
  ["Cleared",  { resources: "Provisioning" },                            "InUse",    []],
  ["Cleared",  { resources: "Provisioned" },                             "InUse",    []],
  ["InUse",    { resources: "Provisioning" },                            "InUse",    []],
  ["InUse",    { claim: "present" },                                     "InUse",    []],
  ["InUse",    { clearAsked: true },                                     "Clearing", ["forgetCheckpoints"]],
  ["InUse",    { clearAsked: true, startWanted: true },                  "InUse",    []],
  ["InUse",    { clearAsked: true, resources: "Stopping" },              "InUse",    []],
  ["InUse",    { clearAsked: true, resources: "Provisioned" },           "InUse",    []],
  ["Clearing", { claim: "present" },                                     "Clearing", ["dropClaim"]],
  ["Clearing", {},                                                       "Cleared",  []],
] as const)("%s, %o → %s, %o", (state, facts, to, actions) => {
  expect(step(storageMachine, { state, facts: { ...calm, ...facts } }, observed)).toEqual({ state: to, actions });
});

// prettier-ignore
test.each([
  ["Cleared",  {},                             true],
  ["Cleared",  { resources: "Provisioning" },  false],
  ["InUse",    {},                             true],
  ["InUse",    { startWanted: true },          false],
  ["InUse",    { resources: "Provisioned" },   false],
  ["InUse",    { resources: "Stopping" },      false],
  ["Clearing", {},                             true],
  ["Clearing", { startWanted: true },          false],
] as const)("in %s with %o: clear %s", (state, facts, allowed) => {
  const [clear] = commandsAllowed(storageMachine, state, { facts: { ...calm, ...facts }, evidence: {} });
  expect(clear?.allowed).toBe(allowed);
});
