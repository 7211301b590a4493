import type { AnyStateMachine } from "xstate";
import { diagramOf } from "./diagram";
import { edgesOf, edgeTaken, type Edge } from "./edges";
import { leavesOf } from "./guard";
import type { Kind } from "./kind";
import { initialOf, metaOf, observed, statesOf, type StateMeta } from "./lifecycle";
import { factsOfEdges, observedFacts, restFaults } from "./rest";
import { structuralSchema } from "./structural-schema";
import { calm, combinations } from "./truth-table";

/** What must hold of every machine: the rule in words → what breaks it. */
export const rules: Record<string, (machine: AnyStateMachine) => string[]> = {
  "is flat, with nothing that runs by itself": (machine) => [
    ...(machine.root.transitions.size ? ["the root has transitions"] : []),
    ...Object.values(machine.states).flatMap((node) => [
      ...(Object.keys(node.states).length ? [`${node.key} has states inside`] : []),
      ...(node.invoke.length ? [`${node.key} invokes`] : []),
      ...(node.after.length ? [`${node.key} has delays`] : []),
      ...(node.entry.length + node.exit.length ? [`${node.key} has entry or exit actions`] : []),
    ]),
  ],

  "gives every state a tone and a summary": (machine) =>
    Object.values(machine.states).flatMap((node) => {
      const { tone, summary } = (node.meta ?? {}) as Partial<StateMeta>;
      return tone && summary
        ? []
        : [`${node.key} lacks ${[!tone && "tone", !summary && "summary"].filter(Boolean).join(" and ")}`];
    }),

  "reaches every state": (machine) => {
    const reached = reachable([initialOf(machine)], takenFrom(machine));
    return statesOf(machine)
      .filter((state) => !reached.has(state))
      .map((state) => `${state} is never reached`);
  },

  "takes every transition for some facts": (machine) => {
    const taken = new Set(takenFrom(machine).map((edge) => edge.id));
    return edgesOf(machine)
      .filter(({ id }) => !taken.has(id))
      .map(({ id }) => `${id} is never taken`);
  },

  "has no dead end that is not declared settled": (machine) => {
    const { settled } = metaOf(machine);
    const left = new Set(
      edgesOf(machine)
        .filter((edge) => !edge.self)
        .map((edge) => edge.from),
    );
    return [
      ...statesOf(machine)
        .filter((state) => !left.has(state) && !settled.includes(state))
        .map((state) => `${state} has no way out`),
      ...settled
        .filter((state) => !Object.hasOwn(machine.states, state))
        .map((state) => `${state} is settled, but no state`),
    ];
  },

  "names, words and uses every guard": (machine) => {
    const used = edgesOf(machine).flatMap(({ guard }) => (guard ? leavesOf(guard) : []));
    const composites = edgesOf(machine).flatMap(({ guard }) => (guard ? namesOf(guard) : []));
    return [
      ...differences("guard", used, Object.keys(metaOf(machine).guards), "worded"),
      ...Object.keys(machine.implementations.guards)
        .filter((name) => !used.includes(name) && !composites.includes(name))
        .map((name) => `the guard ${name} is implemented and not used`),
    ];
  },

  "names, words and uses every action": (machine) => {
    const used = edgesOf(machine).flatMap(({ actions }) => actions);
    return [
      ...differences("action", used, Object.keys(metaOf(machine).actions), "worded"),
      ...differences("action", used, Object.keys(machine.implementations.actions), "implemented"),
    ];
  },

  "declares every command": (machine) => {
    const events = edgesOf(machine)
      .map(({ event }) => event)
      .filter((event) => event !== observed.type && event !== "always");
    return differences("command", events, Object.keys(metaOf(machine).commands), "declared");
  },

  "lists the values of every fact": (machine) => {
    const listed = Object.keys(metaOf(machine).facts);
    const held = Object.keys(calm(machine, {}));
    return differences("fact", held, listed, "listed");
  },

  "draws exactly its transitions": (machine) => diagramFaults(machine, diagramOf(machine).edges),

  "asks for nothing twice while the observed facts stay as they are, but for what writes nothing then": restFaults,

  "stays in a settled state for some facts": (machine) =>
    metaOf(machine)
      .settled.filter((state) => Object.hasOwn(machine.states, state))
      .flatMap((state) => {
        const rests = combinations(machine, observedFacts(machine, [state])).some(
          (facts) => edgeTaken(machine, { state, facts: calm(machine, facts) }, observed)?.self ?? true,
        );
        return rests ? [] : [`${state} is settled, and yet is always left`];
      }),

  // Whatever the facts are now, the next step ends in one of these states: that each can settle is enough for all of them.
  "can settle from everywhere": (machine) => {
    const edges = takenFrom(machine).filter(({ event }) => event === observed.type || event === "always");
    return statesOf(machine).flatMap((state) => {
      const reached = reachable([state], edges);
      return metaOf(machine).settled.some((rest) => reached.has(rest))
        ? []
        : [`from ${state} no facts lead to a settled state`];
    });
  },
};

/** The states of a lifecycle are the values that the CRD allows for its field. */
export function enumFaults(kind: Kind): string[] {
  const status = structuralSchema(kind.crd.status, "status");
  return Object.entries(kind.lifecycles).flatMap(([name, { machine, field = name }]) => {
    if (field === null) return [];
    const values = status.properties?.[field]?.["enum"];
    if (!Array.isArray(values)) return [`status.${field} has no enum`];
    return differences("state", statesOf(machine), values.map(String), `a value of status.${field}`);
  });
}

/** Against the machine's raw configuration, which the walk behind the diagram does not use. */
export function diagramFaults(machine: AnyStateMachine, drawn: readonly { from: string; to: string }[]): string[] {
  const wanted = Object.entries((machine.config.states ?? {}) as Record<string, RawState>).flatMap(
    ([from, { on = {}, always }]) =>
      [...Object.values(on), always]
        .flatMap((row) => [row ?? []].flat())
        .map((row) => arrow(from, targetOf(row) ?? from)),
  );
  const found = drawn.map(({ from, to }) => arrow(from, to));
  return wanted.toSorted().join() === found.toSorted().join()
    ? []
    : [`drawn: ${found.join(", ")}; the machine has: ${wanted.join(", ")}`];
}

type RawRow = string | { target?: string };
type RawState = { on?: Record<string, RawRow | RawRow[]>; always?: RawRow | RawRow[] };

function targetOf(row: RawRow): string | undefined {
  return typeof row === "string" ? row : row.target;
}

function arrow(from: string, to: string): string {
  return `${from} → ${to}`;
}

function namesOf(guard: NonNullable<Edge["guard"]>): string[] {
  return guard.op === "is" ? [guard.name] : [...(guard.name ? [guard.name] : []), ...guard.of.flatMap(namesOf)];
}

function differences(what: string, used: readonly string[], listed: readonly string[], word: string): string[] {
  return [
    ...[...new Set(used)].filter((name) => !listed.includes(name)).map((name) => `the ${what} ${name} is not ${word}`),
    ...listed.filter((name) => !used.includes(name)).map((name) => `the ${what} ${name} is ${word} and not used`),
  ];
}

/** Every edge that some combination of facts takes. */
function takenFrom(machine: AnyStateMachine): Edge[] {
  const all = edgesOf(machine);
  const asked = new Map(all.map((edge) => [`${edge.from} ${edge.event}`, edge]));
  const taken = [...asked.values()].flatMap(({ from, event }) => {
    const rivals = all.filter((edge) => edge.from === from && edge.event === event);
    return combinations(machine, factsOfEdges(machine, rivals)).flatMap(
      (facts) => edgeTaken(machine, { state: from, facts: calm(machine, facts) }, { type: event }) ?? [],
    );
  });
  return [...new Set(taken)];
}

function reachable(from: readonly string[], edges: readonly Edge[]): Set<string> {
  const reached = new Set(from);
  for (let size = 0; size !== reached.size;) {
    size = reached.size;
    for (const edge of edges) if (reached.has(edge.from)) reached.add(edge.to);
  }
  return reached;
}
