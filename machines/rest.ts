import type { AnyStateMachine } from "xstate";
import { edgesOf, edgeTaken, type Edge } from "./edges";
import type { Facts } from "./facts";
import { leavesOf } from "./guard";
import { metaOf, observed, statesOf } from "./lifecycle";
import { calm, combinations, factsRead } from "./truth-table";

/** What a machine does, from every state and for every combination of facts, when it is told of the same facts again and again. */
export function restFaults(machine: AnyStateMachine): string[] {
  const all = combinations(machine, observedFacts(machine, statesOf(machine)));
  const restless = statesOf(machine).flatMap((state) => all.flatMap((facts) => restlessness(machine, state, facts)));
  return [...outdatedUnknown(machine), ...new Set(restless)];
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
 * what is to be done once: unless an action there outdates a fact that led to it, it would go on for ever.
 */
function restlessness(machine: AnyStateMachine, start: string, facts: Facts): string[] {
  const path: Edge[] = [];
  for (let state = start; ;) {
    const edge = edgeTaken(machine, { state, facts: calm(machine, facts) }, observed);
    if (!edge) return [];
    if (edge.self) {
      const lasting = onceOf(machine, edge).filter((action) => !leadsOn(machine, [edge], action, facts));
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
