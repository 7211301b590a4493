import type { AnyStateMachine } from "xstate";
import { edgesOf, edgeTaken, type Edge } from "./edges";
import type { Known } from "./facts";
import { guardTree, type GuardTree } from "./guard-tree";
import { observed } from "./lifecycle";

/** One way out of a state: `open` when its guard is true now, `taken` when the next look at the world goes this way. */
export type WayOut = { edge: Edge; open: boolean; taken: boolean; tree: GuardTree | null };

/** Every way out of a state with its guard, true or false, and the evidence of what the guard looked at. */
export function explain(machine: AnyStateMachine, state: string, known: Known): WayOut[] {
  const taken = edgeTaken(machine, { state, facts: known.facts }, observed);
  return edgesOf(machine)
    .filter((edge) => edge.from === state)
    .map((edge) => {
      const tree = edge.guard && guardTree(machine, edge.guard, known);
      return { edge, open: tree?.value ?? true, taken: edge === taken, tree };
    });
}
