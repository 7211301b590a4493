import { expect, test } from "vitest";
import { commandsAllowed } from "../commands";
import { observed, step } from "../lifecycle";
import { resourcesMachine, type ResourcesFacts } from "./resources.machine";

const calm: ResourcesFacts = {
  desired: "Stopped",
  program: "compiled",
  configFits: true,
  clearing: false,
  compute: "absent",
  timedOut: false,
  process: "fine",
  errorKept: false,
  initialFits: true,
  standbyRefused: false,
  checkpointRefused: false,
  errorHeld: false,
};
const wanted = { desired: "Provisioned" } as const;

// prettier-ignore
test.each([
  // from          what is true                                            to              what is done
  ["Stopped",      {},                                                     "Stopped",      []],
  ["Stopped",      { ...wanted },                                          "Provisioning", ["beginDeployment"]],
  ["Stopped",      { ...wanted, program: "compiling" },                    "Stopped",      []],
  ["Stopped",      { ...wanted, program: "failed" },                       "Stopping",     ["failStart"]],
  ["Stopped",      { ...wanted, clearing: true },                          "Stopped",      []],
  ["Stopped",      { ...wanted, clearing: true, program: "failed" },       "Stopped",      []],
  ["Stopped",      { ...wanted, clearing: true, configFits: false },       "Stopped",      []],
  ["Stopped",      { ...wanted, configFits: false },                       "Stopping",     ["failConfig"]],
  ["Stopped",      { ...wanted, configFits: false, program: "compiling" }, "Stopped",      []],
  ["Stopped",      { configFits: false },                                  "Stopped",      []],
  ["Stopped",      { ...wanted, standbyRefused: true },                    "Stopping",     ["failStandby"]],
  ["Stopped",      { ...wanted, standbyRefused: true, clearing: true },    "Stopped",      []],
  ["Stopped",      { standbyRefused: true },                               "Stopped",      []],
  ["Provisioning", { ...wanted },                                          "Provisioning", ["ensureCompute"]],
  ["Provisioning", { ...wanted, compute: "coming" },                       "Provisioning", ["ensureCompute"]],
  ["Provisioning", { ...wanted, compute: "ready" },                        "Provisioned",  ["noteProvisioned"]],
  ["Provisioning", { ...wanted, compute: "ready", timedOut: true },        "Provisioned",  ["noteProvisioned"]],
  ["Provisioning", { ...wanted, compute: "coming", timedOut: true },       "Stopping",     ["failTimeout"]],
  ["Provisioning", { ...wanted, compute: "failed" },                       "Stopping",     ["failProvisioning"]],
  ["Provisioning", { compute: "ready" },                                   "Stopping",     ["endDeployment"]],
  ["Provisioned",  { ...wanted, compute: "ready" },                        "Provisioned",  ["ensureCompute"]],
  ["Provisioned",  { ...wanted, compute: "coming" },                       "Provisioned",  ["ensureCompute"]],
  ["Provisioned",  { ...wanted, compute: "failed" },                       "Stopping",     ["failProvisioning"]],
  ["Provisioned",  { ...wanted, compute: "ready", process: "failed" },     "Stopping",     ["failRuntime"]],
  ["Provisioned",  { ...wanted, compute: "failed", process: "failed" },    "Stopping",     ["failRuntime"]],
  ["Provisioned",  { ...wanted, compute: "ready", process: "suspended" },  "Stopping",     ["endDeployment"]],
  ["Provisioned",  { compute: "ready" },                                   "Stopping",     ["endDeployment"]],
  ["Stopping",     { compute: "coming" },                                  "Stopping",     ["dropCompute"]],
  ["Stopping",     { ...wanted, compute: "ready" },                        "Stopping",     ["dropCompute"]],
  ["Stopping",     {},                                                     "Stopped",      []],
] as const)("%s, %o → %s, %o", (state, facts, to, actions) => {
  expect(step(resourcesMachine, { state, facts: { ...calm, ...facts } }, observed)).toEqual({ state: to, actions });
});

// prettier-ignore
test.each([
  // state         what is true                            start    stop    dismissError
  ["Stopped",      {},                                     true,    true,   false],
  ["Stopped",      { program: "compiling" },               true,    true,   false],
  ["Stopped",      { program: "failed" },                  false,   true,   false],
  ["Stopped",      { clearing: true },                     false,   true,   false],
  ["Stopped",      { standbyRefused: true },               false,   true,   false],
  ["Stopped",      { errorKept: true },                    true,    true,   true],
  ["Stopped",      { errorKept: true, errorHeld: true },   false,   true,   true],
  ["Stopped",      { ...wanted, initialFits: false },      false,   true,   false],
  ["Stopped",      { ...wanted, errorKept: true },         true,    true,   false],
  ["Provisioning", { ...wanted },                          true,    true,   false],
  ["Provisioning", { ...wanted, initialFits: false },      false,   true,   false],
  ["Provisioning", {},                                     false,   true,   false],
  ["Provisioned",  { ...wanted },                          true,    true,   false],
  ["Provisioned",  { ...wanted, checkpointRefused: true }, true,    false,  false],
  ["Provisioned",  {},                                     false,   true,   false],
  ["Stopping",     {},                                     false,   true,   false],
  ["Stopping",     { ...wanted },                          false,   true,   false],
] as const)("in %s with %o: start %s, stop %s, dismissError %s", (state, facts, start, stop, dismissError) => {
  const offers = commandsAllowed(resourcesMachine, state, { facts: { ...calm, ...facts }, evidence: {} });
  expect(Object.fromEntries(offers.map(({ command, allowed }) => [command, allowed]))).toEqual({ start, stop, dismissError });
});

test("a start while it stops is refused with what it is doing", () => {
  const [start] = commandsAllowed(resourcesMachine, "Stopping", { facts: calm, evidence: {} });
  expect(start?.reason).toContain("not while Stopping");
});
