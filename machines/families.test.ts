import { and, assign, not, setup, type AnyStateMachine } from "xstate";
import { z } from "zod";
import { describe, expect, test } from "vitest";
import { diagramFaults, enumFaults, rules } from "./conformance";
import { diagramOf } from "./diagram";
import { families } from "./families";
import { kettle, kettleMachine } from "./fixtures/kettle";
import type { Kind } from "./kind";
import type { LifecycleMeta } from "./lifecycle";

const everyKind = Object.entries({ ...families, kitchen: { title: "Kitchen", kinds: { kettle } } }).flatMap(
  ([family, { kinds }]) => Object.entries<Kind>(kinds).map(([id, kind]) => ({ id: `${family}.${id}`, kind })),
);
const everyMachine = everyKind.flatMap(({ id, kind }) =>
  Object.entries(kind.lifecycles).map(([lifecycle, { machine, composedOf }]) => ({
    id: `${id} ${lifecycle}`,
    machine,
    composed: composedOf !== undefined,
  })),
);

/** What is composed of others is held to what can be seen of it; its rows are tried where they are written. */
const ofComposed = ["gives every state a tone and a summary", "reaches every state", "draws exactly its transitions"];

describe.each(everyMachine)("the machine of $id", ({ machine, composed }) => {
  const applying = Object.entries(rules).filter(([rule]) => !composed || ofComposed.includes(rule));
  test.each(applying)("%s", (_rule, faultsOf) => {
    expect(faultsOf(machine)).toEqual([]);
  });
});

test.each(everyKind)("the states of $id are the values that its CRD allows", ({ kind }) => {
  expect(enumFaults(kind)).toEqual([]);
});

test("every machine has an id of its own that begins with its family and kind", () => {
  const ids = everyMachine.map(({ machine }) => machine.id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, machine } of everyMachine) expect(machine.id.startsWith(id.split(" ")[0] ?? "?")).toBe(true);
});

const rest = "asks for nothing twice while the observed facts stay as they are, but for what writes nothing then";

describe("a bad machine is caught:", () => {
  test.each<[rule: string, fault: RegExp, machine: AnyStateMachine]>([
    ["is flat, with nothing that runs by itself", /idle has delays/, bad({ idle: { after: { 100: "busy" } } })],
    ["is flat, with nothing that runs by itself", /busy has entry/, bad({ busy: { entry: "work" } })],
    [
      "is flat, with nothing that runs by itself",
      /busy has states inside/,
      bad({ busy: { initial: "a", states: { a: {} } } }),
    ],
    ["gives every state a tone and a summary", /idle lacks tone and summary/, bad({ idle: { meta: undefined } })],
    ["reaches every state", /lost is never reached/, bad({ lost: { meta: state, on: { observed: "idle" } } })],
    [
      "reaches every state",
      /busy is never reached/,
      bad({ idle: { on: { observed: { guard: and(["wanted", not("wanted")]), target: "busy" } } } }),
    ],
    [
      "takes every transition for some facts",
      /idle.observed.1 is never taken/,
      bad({ idle: { on: { observed: [{ target: "busy" }, { guard: "wanted", target: "busy" }] } } }),
    ],
    ["has no dead end that is not declared settled", /busy has no way out/, bad({ busy: { on: {} } })],
    [
      "has no dead end that is not declared settled",
      /gone is settled, but no state/,
      bad({}, { settled: ["idle", "gone"] }),
    ],
    ["names, words and uses every guard", /guard wanted is not worded/, bad({}, { guards: {} })],
    [
      "names, words and uses every guard",
      /guard spare is worded and not used/,
      bad({}, { guards: { ...meta.guards, spare: { yes: "", no: "" } } }),
    ],
    [
      "names, words and uses every guard",
      /guard wanted is implemented and not used/,
      bad({ idle: { on: { observed: "busy" } }, busy: { on: { observed: "idle" } } }, { guards: {} }),
    ],
    ["names, words and uses every action", /action work is not worded/, bad({}, { actions: {} })],
    [
      "names, words and uses every action",
      /action work is implemented and not used/,
      bad({ idle: { on: { observed: { guard: "wanted", target: "busy" } } } }),
    ],
    [
      "declares every command",
      /command halt is not declared/,
      bad({ busy: { on: { halt: { target: "idle" }, observed: { target: "idle" } } } }),
    ],
    [
      "declares every command",
      /command go is declared and not used/,
      bad({}, { commands: { go: { title: "Go", summary: "" } } }),
    ],
    ["lists the values of every fact", /fact wanted is not listed/, bad({}, { facts: {} })],
    [rest, /idle → busy → idle for ever/, bad({ busy: { on: { observed: "idle" } } })],
    [
      rest,
      /idle → busy → idle for ever/,
      bad({ busy: { on: { observed: { target: "idle", actions: "work" } } } }, { outdates: { work: [] } }),
    ],
    [
      rest,
      /busy asks for work for ever/,
      bad({ busy: { on: { observed: { actions: "work" } } } }, { outdates: { work: ["wanted"] } }),
    ],
    [rest, /busy asks for work for ever/, bad({ busy: { on: { observed: { actions: "work" } } } })],
    [rest, /work may be repeated, and never is/, bad({}, { repeats: ["work"] })],
    [rest, /play outdates facts, but is no action/, bad({}, { outdates: { play: [] } })],
    [rest, /work outdates tired, which is no fact/, bad({}, { outdates: { work: ["tired"] } })],
    [
      "stays in a settled state for some facts",
      /idle is settled, and yet/,
      bad({ idle: { on: { observed: "busy" } } }),
    ],
    [
      "can settle from everywhere",
      /from busy no facts/,
      bad({ busy: { on: { observed: { guard: and(["wanted", not("wanted")]), target: "idle" } } } }),
    ],
  ])("%s: %s", (rule, fault, machine) => {
    expect(rules[rule]?.(machine).join("\n")).toMatch(fault);
  });

  test("the untouched machine of these examples breaks no rule", () => {
    expect(Object.values(rules).flatMap((faultsOf) => faultsOf(bad({})))).toEqual([]);
  });

  test("what may be repeated is repeated", () => {
    expect(rules[rest]?.(bad({ busy: { on: { observed: { actions: "work" } } } }, { repeats: ["work"] }))).toEqual([]);
  });

  test("what is done once may be asked for where it ends what asked for it", () => {
    const once = { outdates: { work: ["wanted"] } };
    const circle = { busy: { on: { observed: { target: "idle", actions: "work" } } } };
    const spot = { busy: { on: { observed: [{ guard: "wanted", actions: "work" }, { target: "idle" }] } } };
    for (const states of [circle, spot]) expect(rules[rest]?.(bad(states, once))).toEqual([]);
  });

  test("a guard or an action without a name", () => {
    expect(() =>
      rules["names, words and uses every guard"]?.(
        bad({ idle: { on: { observed: { guard: () => true, target: "busy" } } } }),
      ),
    ).toThrow("without a name");
    expect(() =>
      rules["names, words and uses every action"]?.(
        bad({ idle: { on: { observed: { actions: assign({}), target: "busy" } } } }),
      ),
    ).toThrow("without a name");
  });

  test("an arrow that is missing, and one too many", () => {
    const { edges } = diagramOf(kettleMachine);
    expect(diagramFaults(kettleMachine, edges)).toEqual([]);
    expect(diagramFaults(kettleMachine, edges.slice(1))).toHaveLength(1);
    expect(diagramFaults(kettleMachine, [...edges, { from: "off", to: "hot" }])).toHaveLength(1);
  });

  test("a CRD that allows a state the machine does not have, and lacks one that it has", () => {
    const status = z.object({ phase: z.enum(["off", "heating", "cold"]) });
    expect(enumFaults({ ...kettle, crd: { ...kettle.crd, status } })).toEqual([
      "the state hot is not a value of status.phase",
      "the state cold is a value of status.phase and not used",
    ]);
    expect(enumFaults({ ...kettle, crd: { ...kettle.crd, status: z.object({}) } })).toEqual([
      "status.phase has no enum",
    ]);
  });
});

const state = { tone: "idle", summary: "Here" };

const meta: LifecycleMeta = {
  title: "Worker",
  description: "Works while wanted.",
  settled: ["idle"],
  facts: { wanted: [true, false] },
  guards: { wanted: { yes: "wanted", no: "not wanted" } },
  actions: { work: "work" },
  commands: {},
};

/** idle ⇄ busy, with one thing made wrong. */
function bad(states: Record<string, object>, wrong: Partial<LifecycleMeta> = {}): AnyStateMachine {
  const good: Record<string, object> = {
    idle: { meta: state, on: { observed: { guard: "wanted", target: "busy", actions: "work" } } },
    busy: { meta: state, on: { observed: { guard: not("wanted"), target: "idle" } } },
  };
  const merged = Object.fromEntries(
    Object.entries({ ...good, ...states }).map(([name, part]) => [name, { ...good[name], ...part }]),
  );
  const machine = setup({
    guards: { wanted: ({ context }) => (context as { wanted: boolean }).wanted },
    actions: { work: () => undefined },
  });
  const config = {
    id: "test.worker",
    meta: { ...meta, ...wrong },
    context: { wanted: false },
    initial: "idle",
    states: merged,
  };
  // What is wrong on purpose cannot be typed.
  return machine.createMachine(config as never) as unknown as AnyStateMachine;
}
