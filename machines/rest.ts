import type { AnyStateMachine } from "xstate";
import { edgesOf, edgeTaken, type Edge } from "./edges";
import type { Facts } from "./facts";
import { leavesOf } from "./guard";
import { metaOf, observed, statesOf } from "./lifecycle";
import { calm, combinations, factsRead } from "./truth-table";

/**
 * What a machine does wrong, from every state and for every combination of facts, when it is told of the same facts again
 * and again: a second look must ask for nothing that has not been done by the first.
 */
export function restFaults(machine: AnyStateMachine): string[] {
  const all = combinations(machine, observedFacts(machine, statesOf(machine)));
  const repeated = new Set<string>();
  const restless = statesOf(machine).flatMap((state) =>
    all.flatMap((facts) => restlessness(machine, { state, facts }, repeated)),
  );
  const idle = (metaOf(machine).repeats ?? []).filter((action) => !repeated.has(action));
  return [
    ...outdatedUnknown(machine),
    ...new Set(restless),
    ...idle.map((action) => `${action} may be repeated, and never is`),
  ];
}

/** Facts that decide what `observed` does in these states. */
export function observedFacts(machine: AnyStateMachine, states: readonly string[]): string[] {
  return factsOfEdges(
    machine,
    edgesOf(machine).filter(
      ({ from, event }) => states.includes(from) && (event === observed.type || event === "always"),
    ),
  );
}

export function factsOfEdges(machine: AnyStateMachine, edges: readonly Edge[]): string[] {
  const guards = new Set(edges.flatMap(({ guard }) => (guard ? leavesOf(guard) : [])));
  return [...new Set([...guards].flatMap((guard) => factsRead(machine, guard)))];
}

/**
 * With the same facts again and again a machine may walk on for a while, but not in a circle, and not on one spot with
 * what may not be repeated: unless an action there outdates a fact that led to it, it would go on for ever.
 */
function restlessness(
  machine: AnyStateMachine,
  start: { state: string; facts: Facts },
  repeated: Set<string>,
): string[] {
  const { facts } = start;
  const path: Edge[] = [];
  for (let { state } = start; ;) {
    const edge = edgeTaken(machine, { state, facts: calm(machine, facts) }, observed);
    if (!edge) return [];
    if (edge.self) {
      if (onceOf(machine, edge).some((action) => leadsOn(machine, [edge], action, facts))) return [];
      const { repeats = [] } = metaOf(machine);
      for (const action of edge.actions) repeated.add(action);
      const lasting = edge.actions.filter((action) => !repeats.includes(action));
      return lasting.map((action) => `${state} asks for ${action} for ever with ${JSON.stringify(facts)}`);
    }
    const circle = path.slice(path.indexOf(edge));
    if (path.includes(edge)) {
      const ends = circle.some((one) => onceOf(machine, one).some((action) => leadsOn(machine, circle, action, facts)));
      return ends
        ? []
        : [`${circle.map(({ from }) => from).join(" → ")} → ${state} for ever with ${JSON.stringify(facts)}`];
    }
    path.push(edge);
    state = edge.to;
  }
}

function onceOf(machine: AnyStateMachine, { actions }: Edge): string[] {
  return actions.filter((action) => metaOf(machine).outdates?.[action]);
}

/** Whether one of these edges is no longer taken for some other value of what the action outdates. */
function leadsOn(machine: AnyStateMachine, edges: readonly Edge[], action: string, facts: Facts): boolean {
  const others = combinations(machine, metaOf(machine).outdates?.[action] ?? []);
  return others.some((changed) =>
    edges.some((edge) => {
      const at = { state: edge.from, facts: calm(machine, { ...facts, ...changed }) };
      return edgeTaken(machine, at, observed) !== edge;
    }),
  );
}

function outdatedUnknown(machine: AnyStateMachine): string[] {
  const { outdates = {}, actions, facts } = metaOf(machine);
  return Object.entries(outdates).flatMap(([action, outdated]) => [
    ...(Object.hasOwn(actions, action) ? [] : [`${action} outdates facts, but is no action`]),
    ...outdated
      .filter((fact) => !Object.hasOwn(facts, fact))
      .map((fact) => `${action} outdates ${fact}, which is no fact`),
  ]);
}
