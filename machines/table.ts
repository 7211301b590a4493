import type { AnyStateMachine } from "xstate";
import { edgesOf } from "./edges";
import { guardText } from "./guard";

export type Row = { id: string; from: string; on: string; when: string; to: string; does: string };

/** The machine as its specification: one row for each transition, in the order tried. */
export function rowsOf(machine: AnyStateMachine): Row[] {
  return edgesOf(machine).map(({ id, from, event, guard, to, actions }) => ({
    id,
    from,
    on: event,
    when: guard ? guardText(guard) : "otherwise",
    to,
    does: actions.join(", "),
  }));
}
