import { describe, expect, test } from "vitest";
import { commandsAllowed } from "../commands";
import type { Edge } from "../edges";
import { survivingMutants } from "../fixtures/mutants";
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
  ["creating",  { deleting: true },                                       "creating",  ["removeEverything"]],
  ["switching", { deleting: true },                                       "switching", ["removeEverything"]],
  ["draining",  { deleting: true },                                       "draining",  ["removeEverything"]],
  ["cleaning",  { deleting: true },                                       "cleaning",  ["removeEverything"]],
  ["stable",    { deleting: true },                                       "stable",    ["removeEverything"]],
  ["stopped",   { deleting: true },                                       "stopped",   ["removeEverything"]],
  ["creating",  { registered: false },                                    "creating",  ["register"]],
  ["creating",  { instanceReady: false, generation: "missing" },          "creating",  ["holdForInstance"]],
  ["creating",  { specAdmitted: false },                                  "creating",  ["refuseSpec"]],
  ["creating",  { generation: "missing", podsReady: false },              "creating",  ["ensureGeneration"]],
  ["creating",  { podsReady: false },                                     "creating",  ["ensureGeneration"]],
  ["creating",  { partsPresent: false },                                  "creating",  ["ensureGeneration"]],
  ["creating",  { generation: "missing", wantsPods: false },              "creating",  ["ensureGeneration"]],
  ["creating",  { generation: "drifted" },                                "creating",  ["beginGeneration", "abandonGeneration"]],
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
  ["stable",    { registered: false },                                    "stable",    ["register"]],
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
  ["stopped",   { wantsPods: false, registered: false },                  "stopped",   ["register"]],
  ["stopped",   { wantsPods: false, specAdmitted: false },                "stopped",   ["refuseSpec"]],
  ["stopped",   { wantsPods: false, service: "missing" },                 "stopped",   ["moveService"]],
  ["stopped",   {},                                                       "stable",    []],
  ["stopped",   { generation: "missing" },                                "creating",  ["beginGeneration"]],
  ["stopped",   { generation: "drifted" },                                "creating",  ["beginGeneration"]],
  ["stopped",   { wantsPods: false, partsPresent: false },                "stopped",   ["restoreParts"]],
  ["stopped",   { wantsPods: false, instanceReady: false },               "stopped",   ["holdForInstance"]],
];

const phases = ["creating", "switching", "draining", "cleaning", "stable", "stopped"];
const stopped = { wantsPods: false };
const serving = { oldGeneration: "serving" } as const;

// prettier-ignore
const commands: [string, Partial<EngineFacts>, string, boolean][] = [
  // in          what is true                      command      allowed
  ...phases.flatMap((phase): [string, Partial<EngineFacts>, string, boolean][] => [
    [phase,      {},                               "stop",      true],
    [phase,      stopped,                          "stop",      false],
    [phase,      { deleting: true },               "stop",      false],
    [phase,      stopped,                          "start",     true],
    [phase,      {},                               "start",     false],
    [phase,      { ...stopped, deleting: true },   "start",     false],
    [phase,      {},                               "scale",     true],
    [phase,      { deleting: true },               "scale",     false],
  ]),
  ...["creating", "stable"].flatMap((phase): [string, Partial<EngineFacts>, string, boolean][] => [
    [phase,      { podsReady: false },             "restart",   true],
    [phase,      stopped,                          "restart",   false],
    [phase,      { deleting: true },               "restart",   false],
  ]),
  ["switching",  {},                               "restart",   false],
  ["draining",   serving,                          "restart",   false],
  ["cleaning",   {},                               "restart",   false],
  ["stopped",    stopped,                          "restart",   false],
  ["draining",   serving,                          "skipDrain", true],
  ["draining",   { oldGeneration: "drained" },     "skipDrain", false],
  ["draining",   {},                               "skipDrain", false],
  ["draining",   { ...serving, deleting: true },   "skipDrain", false],
  ["stable",     {},                               "skipDrain", false],
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

  test.each(commands)("in %s with %o, %s is allowed: %s", (state, facts, command, allowed) => {
    expect(offer(state, facts, command)?.allowed).toBe(allowed);
    if (!allowed) expect(offer(state, facts, command)?.reason).toMatch(/\w+ \w+/);
  });
});

test("each guard that is turned round and each row that is left out fails one of the rows above", () => {
  const steps = rows.map(([state, facts, to, actions]) => ({
    state,
    facts: { ...calm, ...facts },
    event: observed.type,
    isRight: (taken: Edge | null) => taken?.to === to && taken.actions.join() === actions.join(),
  }));
  const offers = commands.map(([state, facts, event, allowed]) => ({
    state,
    facts: { ...calm, ...facts },
    event,
    isRight: (taken: Edge | null) => (taken !== null) === allowed,
  }));
  expect(survivingMutants(engineMachine, [...steps, ...offers])).toEqual([]);
});
