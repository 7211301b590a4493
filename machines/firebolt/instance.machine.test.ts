import { expect, test } from "vitest";
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
  ["Ready",        {},                                             "Ready",        []],
  ["Ready",        { partsCurrent: false },                        "Ready",        ["provision"]],
  ["Ready",        { metadataReady: false },                       "Degraded",     []],
  ["Ready",        { gatewayReady: false, specAdmitted: false },   "Degraded",     []],
  ["Ready",        { specAdmitted: false },                        "Degraded",     ["refuseSpec"]],
  ["Ready",        { recoverable: false },                         "Failed",       ["giveUp"]],
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
