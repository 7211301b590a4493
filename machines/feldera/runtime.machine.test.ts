import { expect, test } from "vitest";
import { commandsAllowed } from "../commands";
import { observed, statesOf, step } from "../lifecycle";
import { runtimeDesiredStatuses, runtimeMachine, runtimeStatuses, type RuntimeFacts } from "./runtime.machine";

const calm: RuntimeFacts = { reported: "Absent", heading: "Unavailable", asked: "nothing" };
const at = (state: string, facts: Partial<RuntimeFacts>) =>
  step(runtimeMachine, { state, facts: { ...calm, ...facts } }, observed);

test("what the process says is believed, from wherever it can follow", () => {
  const never: Record<string, readonly string[]> = {
    Suspended: ["Standby", "Bootstrapping", "Replaying", "Paused", "Running"],
    Bootstrapping: ["Standby"],
    Replaying: ["Standby", "Bootstrapping"],
    Paused: ["Standby"],
    Running: ["Standby"],
  };
  for (const from of statesOf(runtimeMachine)) {
    for (const reported of runtimeStatuses) {
      const expected = never[from]?.includes(reported) ? from : reported;
      expect([from, reported, at(from, { reported }).state]).toEqual([from, reported, expected]);
    }
  }
});

test("without resources there is no runtime status, whatever it was", () => {
  for (const from of statesOf(runtimeMachine)) expect(at(from, { reported: "Absent" }).state).toBe("Absent");
});

test("a request is passed on as long as the process has not taken it in, and never to one that does not answer", () => {
  expect(at("Running", { reported: "Running", asked: "pause" }).actions).toEqual(["passOn"]);
  expect(at("Running", { reported: "Running", asked: "nothing" }).actions).toEqual([]);
  expect(at("Unavailable", { reported: "Unavailable", asked: "pause" }).actions).toEqual([]);
});

// prettier-ignore
const allowed: Record<string, readonly string[]> = {
  Unavailable: [],
  Standby:     ["activate"],
  Paused:      ["pause", "resume", "activate"],
  Running:     ["pause", "resume", "activate"],
  Suspended:   [],
};

test.each(runtimeDesiredStatuses)("a process that heads for %s takes what its table says", (heading) => {
  for (const state of statesOf(runtimeMachine)) {
    const offers = commandsAllowed(runtimeMachine, state, { facts: { ...calm, heading }, evidence: {} });
    const taken = offers.filter((offer) => offer.allowed).map(({ command }) => command);
    const deaf = ["Absent", "Unavailable", "Suspended"].includes(state);
    expect([state, taken]).toEqual([state, deaf ? [] : allowed[heading]]);
  }
});
