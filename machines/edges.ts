import type { AnyStateMachine } from "xstate";
import { guardOf, type Guard } from "./guard";
import { holds } from "./guard-tree";
import type { At, Event } from "./lifecycle";

/** One row of the machine: the transitions of an event from a state are tried in the order they stand. */
export type Edge = {
  id: string;
  from: string;
  to: string;
  event: string;
  guard: Guard | null;
  actions: string[];
  self: boolean;
};

const known = new WeakMap<AnyStateMachine, Edge[]>();

/** Every transition of the machine, also those taken without an event (`always`), in the order tried. */
export function edgesOf(machine: AnyStateMachine): Edge[] {
  const found = known.get(machine) ?? walk(machine);
  known.set(machine, found);
  return found;
}

/** The transition that this event takes now, or null where the machine refuses it. */
export function edgeTaken(machine: AnyStateMachine, at: At, event: Event): Edge | null {
  const from = edgesOf(machine).filter((edge) => edge.from === at.state);
  const tried = [...from.filter((edge) => edge.event === event.type), ...from.filter((edge) => edge.event === always)];
  return tried.find((edge) => !edge.guard || holds(machine, edge.guard, at.facts)) ?? null;
}

const always = "always";

function walk(machine: AnyStateMachine): Edge[] {
  return Object.values(machine.states).flatMap((node) => {
    const rows = [...node.transitions].flatMap(([event, transitions]) =>
      transitions.map((transition, index) => ({ event, index, transition })),
    );
    const eventless = (node.always ?? []).map((transition, index) => ({ event: always, index, transition }));
    return [...rows, ...eventless].map(({ event, index, transition }) => {
      const to = transition.target?.[0]?.key ?? node.key;
      return {
        id: `${node.key}.${event}.${index}`,
        from: node.key,
        to,
        event,
        guard: guardOf(machine, transition.guard),
        actions: transition.actions.map((action) => actionName(machine, action)),
        self: to === node.key,
      };
    });
  });
}

function actionName(machine: AnyStateMachine, action: unknown): string {
  if (typeof action === "string") return action;
  if (typeof action === "object" && action !== null && "type" in action) return String(action.type);
  throw new Error(`${machine.id} has an action without a name; only named actions can be planned`);
}
