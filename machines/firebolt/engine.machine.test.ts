import { describe, expect, test } from "vitest";
import { commandsAllowed } from "../commands";
import { metaOf, observed, statesOf, step } from "../lifecycle";
import { engineMachine, type EngineFacts } from "./engine.machine";

const calm: EngineFacts = {
  deleting: false,
  registered: true,
  instanceReady: true,
  specAdmitted: true,
  generation: "matching",
  partsPresent: true,
  podsReady: true,
  service: "onCurrent",
  oldGeneration: "none",
  wantsPods: true,
};

// prettier-ignore
const rows: [string, Partial<EngineFacts>, string, string[]][] = [
  // from        what is true                                              to           what is done
  ["creating",  { registered: false },                                    "creating",  ["register"]],
  ["creating",  { instanceReady: false, generation: "missing" },          "creating",  ["holdForInstance"]],
  ["creating",  { specAdmitted: false },                                  "creating",  ["refuseSpec"]],
  ["creating",  { generation: "missing", podsReady: false },              "creating",  ["ensureGeneration"]],
  ["creating",  { podsReady: false },                                     "creating",  ["ensureGeneration"]],
  ["creating",  { partsPresent: false },                                  "creating",  ["ensureGeneration"]],
  ["creating",  { generation: "missing", wantsPods: false },              "creating",  ["ensureGeneration"]],
  ["creating",  { generation: "drifted" },                                "creating",  ["beginGeneration"]],
  ["creating",  {},                                                       "switching", []],
  ["creating",  { wantsPods: false },                                     "switching", []],
  ["switching", { service: "elsewhere" },                                 "switching", ["moveService"]],
  ["switching", { service: "missing" },                                   "switching", ["moveService"]],
  ["switching", { oldGeneration: "serving" },                             "draining",  ["activateGeneration"]],
  ["switching", {},                                                       "stable",    ["activateGeneration"]],
  ["switching", { wantsPods: false },                                     "stopped",   ["activateGeneration"]],
  ["switching", { generation: "drifted" },                                "stable",    ["activateGeneration"]],
  ["switching", { instanceReady: false, oldGeneration: "serving" },       "draining",  ["activateGeneration"]],
  ["draining",  { oldGeneration: "serving" },                             "draining",  ["awaitDrain"]],
  ["draining",  { oldGeneration: "serving", generation: "drifted" },      "draining",  ["awaitDrain"]],
  ["draining",  { oldGeneration: "drained" },                             "cleaning",  []],
  ["draining",  { oldGeneration: "drained", instanceReady: false },       "cleaning",  []],
  ["draining",  {},                                                       "stable",    []],
  ["draining",  { wantsPods: false },                                     "stopped",   []],
  ["cleaning",  { oldGeneration: "drained" },                             "stable",    ["dropOldGeneration"]],
  ["cleaning",  { oldGeneration: "drained", generation: "drifted" },      "stable",    ["dropOldGeneration"]],
  ["cleaning",  { oldGeneration: "drained", wantsPods: false },           "stopped",   ["dropOldGeneration"]],
  ["cleaning",  { oldGeneration: "drained", specAdmitted: false },        "stable",    ["dropOldGeneration"]],
  ["stable",    {},                                                       "stable",    []],
  ["stable",    { podsReady: false },                                     "stable",    []],
  ["stable",    { generation: "drifted" },                                "creating",  ["beginGeneration"]],
  ["stable",    { generation: "missing" },                                "creating",  ["beginGeneration"]],
  ["stable",    { partsPresent: false },                                  "stable",    ["restoreParts"]],
  ["stable",    { service: "elsewhere" },                                 "stable",    ["moveService"]],
  ["stable",    { instanceReady: false, generation: "drifted" },          "stable",    ["holdForInstance"]],
  ["stable",    { specAdmitted: false, generation: "drifted" },           "stable",    ["refuseSpec"]],
  ["stable",    { wantsPods: false },                                     "stopped",   []],
  ["stopped",   { wantsPods: false },                                     "stopped",   []],
  ["stopped",   { generation: "drifted" },                                "creating",  ["beginGeneration"]],
  ["stopped",   { wantsPods: false, partsPresent: false },                "stopped",   ["restoreParts"]],
  ["stopped",   { wantsPods: false, instanceReady: false },               "stopped",   ["holdForInstance"]],
];

test.each(rows)("%s, %o → %s, %o", (state, facts, to, actions) => {
  expect(step(engineMachine, { state, facts: { ...calm, ...facts } }, observed)).toEqual({ state: to, actions });
});

describe("for every combination of facts", () => {
  const domains = Object.entries(metaOf(engineMachine).facts);
  // The meta lists the domain of every fact, so that their product is made of whole records.
  const all = domains.reduce<Record<string, unknown>[]>(
    (records, [fact, values]) => records.flatMap((record) => values.map((value) => ({ ...record, [fact]: value }))),
    [{}],
  ) as EngineFacts[];
  const steps = statesOf(engineMachine).flatMap((state) =>
    all.map((facts) => ({ state, facts, next: step(engineMachine, { state, facts }, observed) })),
  );
  const terminal = ["stable", "stopped"];

  test("a deleted engine is taken down from any phase, and does nothing else", () => {
    for (const { state, next } of steps.filter(({ facts }) => facts.deleting)) {
      expect(next).toEqual({ state, actions: ["removeEverything"] });
    }
  });

  test("a spec change in switching, draining or cleaning begins no generation", () => {
    const begun = steps.filter(({ next }) => next.actions.includes("beginGeneration"));
    expect(new Set(begun.map(({ state }) => state))).toEqual(new Set(["stable", "stopped", "creating"]));
  });

  test("the pass that decides a new generation makes no object of it", () => {
    for (const { next } of steps.filter(({ next }) => next.actions.includes("beginGeneration"))) {
      expect(next.actions).not.toContain("ensureGeneration");
    }
  });

  test("only a generation with all its parts and ready pods may take traffic", () => {
    for (const { facts } of steps.filter(({ state, next }) => state === "creating" && next.state === "switching")) {
      expect(facts).toMatchObject({ generation: "matching", partsPresent: true, podsReady: true });
    }
  });

  test("the old generation is removed in cleaning alone, and cleaning is reached only when it is drained", () => {
    for (const { state, next } of steps.filter(({ next }) => next.actions.includes("dropOldGeneration"))) {
      expect(state).toBe("cleaning");
      expect(terminal).toContain(next.state);
    }
    for (const { facts } of steps.filter(({ state, next }) => state !== "cleaning" && next.state === "cleaning")) {
      expect(facts.oldGeneration).toBe("drained");
    }
  });

  test("an instance that is not ready holds back stable, stopped and creating, and no other phase", () => {
    const held = steps.filter(({ next }) => next.actions.includes("holdForInstance"));
    expect(new Set(held.map(({ state }) => state))).toEqual(new Set(["stable", "stopped", "creating"]));
    for (const { state, next } of held) expect(next.state).toBe(state);
  });

  test("the resting phase is stable when pods are wanted and stopped when none are", () => {
    for (const { state, facts, next } of steps) {
      if (!terminal.includes(next.state) || next.state === state) continue;
      expect(next.state).toBe(facts.wantsPods ? "stable" : "stopped");
    }
  });

  test("a generation becomes active only after the Service selects it", () => {
    for (const { facts } of steps.filter(({ next }) => next.actions.includes("activateGeneration"))) {
      expect(facts.service).toBe("onCurrent");
    }
  });
});

describe("commands", () => {
  const offer = (state: string, facts: Partial<EngineFacts>, command: string) =>
    commandsAllowed(engineMachine, state, { facts: { ...calm, ...facts }, evidence: {} }).find(
      (one) => one.command === command,
    );

  // prettier-ignore
  test.each([
    ["stable",   {},                                             "stop",      true],
    ["stable",   {},                                             "start",     false],
    ["stable",   {},                                             "restart",   true],
    ["stable",   {},                                             "skipDrain", false],
    ["stable",   { deleting: true },                             "scale",     false],
    ["stopped",  { wantsPods: false },                           "start",     true],
    ["stopped",  { wantsPods: false },                           "stop",      false],
    ["stopped",  { wantsPods: false },                           "restart",   false],
    ["creating", { podsReady: false },                           "restart",   true],
    ["draining", { oldGeneration: "serving" },                   "skipDrain", true],
    ["draining", { oldGeneration: "drained" },                   "skipDrain", false],
    ["draining", { oldGeneration: "serving" },                   "restart",   false],
    ["draining", { oldGeneration: "serving" },                   "scale",     true],
    ["cleaning", { oldGeneration: "drained" },                   "stop",      true],
  ] as const)("in %s with %o, %s is allowed: %s", (state, facts, command, allowed) => {
    expect(offer(state, facts, command)?.allowed).toBe(allowed);
    if (!allowed) expect(offer(state, facts, command)?.reason).toMatch(/\w+ \w+/);
  });
});
