import { setup } from "xstate";
import { describe, expect, test } from "vitest";
import { commandsAllowed } from "./commands";
import { contentHash } from "./content-hash";
import { diagramOf } from "./diagram";
import { edgesOf, edgeTaken } from "./edges";
import { explain } from "./explain";
import { kettleMachine, type KettleFacts } from "./fixtures/kettle";
import { guardText } from "./guard";
import { observed, stateMetaOf, step } from "./lifecycle";
import { sentenceOf, sentenceText } from "./sentence";
import { rowsOf } from "./table";

const calm: KettleFacts = { wanted: true, filled: true, temperature: "cold" };
const known = (facts: Partial<KettleFacts>) => ({
  facts: { ...calm, ...facts },
  evidence: { temperature: { sentence: "the thermometer says 20 °C" }, filled: { sentence: "the scale says 1 l" } },
});

describe("a step", () => {
  // prettier-ignore
  test.each([
    // from        what is true                                to          what is done
    ["off",      {},                                         "heating",  ["heat"]],
    ["off",      { filled: false },                          "off",      []],
    ["heating",  {},                                         "heating",  []],
    ["heating",  { temperature: "boiling" },                 "hot",      ["cool"]],
    ["heating",  { temperature: "boiling", filled: false },  "off",      ["cool"]],
    ["hot",      { wanted: false },                          "off",      []],
  ] as const)("%s, %o → %s, %o", (state, facts, to, actions) => {
    expect(step(kettleMachine, { state, facts: { ...calm, ...facts } }, observed)).toEqual({ state: to, actions });
  });

  test("takes the very transition that the edges name", () => {
    for (const state of ["off", "heating", "hot"]) {
      for (const event of ["observed", "start", "stop"]) {
        const at = { state, facts: calm };
        const edge = edgeTaken(kettleMachine, at, { type: event });
        expect(step(kettleMachine, at, { type: event }).state).toBe(edge?.to ?? state);
      }
    }
  });

  test("from a state that the machine does not have says which it has", () => {
    expect(() => step(kettleMachine, { state: "frozen", facts: calm }, observed)).toThrow(
      'kitchen.kettle has no state "frozen"; it has off, heating, hot',
    );
    expect(stateMetaOf(kettleMachine, "frozen").tone).toBe("warn");
  });
});

test("transitions without an event are walked and taken too", () => {
  const machine = setup({}).createMachine({
    id: "test.always",
    initial: "a",
    states: { a: { always: { target: "b" } }, b: {} },
  });
  expect(edgesOf(machine)).toMatchObject([{ id: "a.always.0", from: "a", to: "b", event: "always", guard: null }]);
  expect(edgeTaken(machine, { state: "a", facts: {} }, observed)?.to).toBe("b");
  expect(diagramOf(machineWithMeta).edges).toHaveLength(1);
});

const machineWithMeta = setup({}).createMachine({
  id: "test.always",
  meta: { settled: [], commands: {} },
  initial: "a",
  states: { a: { always: { target: "b" } }, b: {} },
});

describe("explaining", () => {
  test("gives each way out its guard as a tree, with the evidence of just the facts that were read", () => {
    const [empty, boiled, stop] = explain(kettleMachine, "heating", known({}));
    expect(empty).toMatchObject({ open: false, taken: false, tree: { op: "not", value: false } });
    expect(empty?.tree).toMatchObject({
      of: [{ sentence: "there is water in it", evidence: [{ sentence: "the scale says 1 l" }] }],
    });
    expect(boiled?.tree).toEqual({
      op: "is",
      name: "boils",
      value: false,
      sentence: "the water does not boil yet",
      evidence: [{ sentence: "the thermometer says 20 °C" }],
    });
    expect(stop).toMatchObject({ open: true, taken: false, tree: null });
  });

  test("the value of a tree is the fold of its leaves, for all facts", () => {
    for (const wanted of [true, false]) {
      for (const filled of [true, false]) {
        const [way] = explain(kettleMachine, "off", known({ wanted, filled }));
        expect(way).toMatchObject({
          open: wanted && filled,
          taken: wanted && filled,
          tree: { op: "and", value: wanted && filled },
        });
      }
    }
  });
});

describe("commands", () => {
  test("are all offered, and those that the state or the facts forbid say why", () => {
    expect(commandsAllowed(kettleMachine, "off", known({ filled: false }))).toMatchObject([
      { command: "start", allowed: false, reason: "it is empty", to: null },
      {
        command: "stop",
        allowed: false,
        destroys: true,
        reason: "not while off: not in use, and Stop has no way from there",
      },
    ]);
    expect(commandsAllowed(kettleMachine, "heating", known({}))).toMatchObject([
      { command: "start", allowed: false },
      { command: "stop", allowed: true, reason: null, to: "off" },
    ]);
  });
});

describe("the sentence", () => {
  test("says what a resource waits for, with the evidence, and what comes then", () => {
    expect(sentenceText(sentenceOf(kettleMachine, "heating", known({})))).toBe(
      "Getting the water to boil: the water does not boil yet (the thermometer says 20 °C); then hot",
    );
  });

  test("knows that what is awaited is in trouble, by the cluster's own warning alone", () => {
    const { facts } = known({});
    const evidence = { temperature: { sentence: "the fuse is blown", warning: true as const } };
    expect(sentenceOf(kettleMachine, "heating", known({})).troubled).toBe(false);
    expect(sentenceOf(kettleMachine, "heating", { facts, evidence }).troubled).toBe(true);
    expect(sentenceOf(kettleMachine, "hot", { facts, evidence }).troubled).toBe(false);
  });

  test("says what happens next when nothing stands in the way", () => {
    expect(sentenceOf(kettleMachine, "heating", known({ temperature: "boiling" })).next).toBe("next is hot");
  });

  test("says no more than the summary of a resource at rest", () => {
    expect(sentenceText(sentenceOf(kettleMachine, "hot", known({})))).toBe("The water is ready");
  });
});

test("the table has a row for every transition, in the order tried", () => {
  expect(rowsOf(kettleMachine).map(({ from, on, when, to, does }) => [from, on, when, to, does].join(" | "))).toEqual([
    "off | observed | wanted and filled | heating | heat",
    "off | start | filled | off | ",
    "heating | observed | not filled | off | cool",
    "heating | observed | boils | hot | cool",
    "heating | stop | otherwise | off | cool",
    "hot | observed | not wanted | off | ",
  ]);
});

test("a guard inside a guard is bracketed", () => {
  const ready = { op: "is", name: "ready" } as const;
  const either = { op: "or", of: [ready, { op: "is", name: "late" }] } as const;
  expect(guardText({ op: "and", of: [ready, { op: "not", of: [{ ...either, of: [...either.of] }] }] })).toBe(
    "ready and (not (ready or late))",
  );
});

describe("the content hash", () => {
  type Facts = { a: boolean; b: boolean };
  const both = [true, false];
  const build = (
    wanted: (facts: Facts) => boolean,
    { summary = "Here", actions = [] as string[], listed = { a: both, b: both }, more = {} } = {},
  ) =>
    setup({
      // XState reads its types from values that are never looked at.
      types: { context: {} as Facts },
      guards: { wanted: ({ context }) => wanted(context) },
      actions: { work: () => undefined },
    }).createMachine({
      id: "test.hash",
      meta: { facts: listed, guards: {}, actions: {}, commands: {}, settled: ["here", "there"], ...more },
      context: { a: false, b: false },
      initial: "here",
      states: {
        here: { meta: { tone: "idle", summary }, on: { observed: { guard: "wanted", actions: actions as "work"[] } } },
        there: { meta: { tone: "idle", summary: "There" } },
      },
    });
  const base = contentHash(build(({ a, b }) => a && b));

  test("stays when a guard is written in other words", () => {
    expect(contentHash(build(({ a, b }) => b && a))).toBe(base);
    expect(contentHash(build(({ a, b }) => !(!a || !b)))).toBe(base);
  });

  test("stays when what has no order is listed in another one, and with what only the tests need to know", () => {
    const wanted = ({ a, b }: Facts) => a && b;
    expect(contentHash(build(wanted, { listed: { b: [false, true], a: both } }))).toBe(base);
    expect(contentHash(build(wanted, { more: { settled: ["there", "here"] } }))).toBe(base);
    expect(contentHash(build(wanted, { more: { repeats: ["work"], outdates: { work: ["a"] } } }))).toBe(base);
  });

  test("changes with what a guard says, with the wording, and with what is done", () => {
    const others = [
      build(({ a, b }) => a || b),
      build(({ a }) => a),
      build(({ a, b }) => a && b, { summary: "Gone" }),
      build(({ a, b }) => a && b, { actions: ["work"] }),
      build(({ a, b }) => a && b, { listed: { a: both, b: [true] } }),
      build(({ a, b }) => a && b, { more: { settled: ["here"] } }),
      build(({ a, b }) => a && b, { more: { actions: { work: "work hard" } } }),
    ];
    expect(new Set([base, ...others.map(contentHash)]).size).toBe(others.length + 1);
  });

  test("refuses a guard that reads a fact whose values are not listed", () => {
    // A fact that the types do not know either.
    const stray = build((facts) => "c" in facts || (facts as unknown as { c: boolean }).c);
    expect(() => contentHash(stray)).toThrow('a guard reads the fact "c"');
  });
});
