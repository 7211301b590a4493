import { transition, type AnyStateMachine, type ContextFrom, type StateMachine, type StateValueFrom } from "xstate";
import type { Facts } from "./facts";

/** Where a resource is, what is true of it, and what happened → where it goes and what to do. */
export function step<M extends AnyStateMachine>(machine: M, at: At<M>, event: Event) {
  const [next, actions] = transition(withoutStart(machine), snapshotAt(machine, at), event);
  // XState types the value of any machine as unknown and its actions by a plain string; both come from `machine` itself.
  return { state: String(next.value) as StateName<M>, actions: actions.map(({ type }) => type as ActionName<M>) };
}

const known = new WeakMap<AnyStateMachine, AnyStateMachine>();

/** The same machine with its first state made already: XState makes it anew for each transition, and throws it away. */
function withoutStart(machine: AnyStateMachine): AnyStateMachine {
  const found = known.get(machine);
  if (found) return found;
  const start = snapshotAt(machine, { state: initialOf(machine), facts: {} });
  // Everything but this one method is the machine's own.
  const same = Object.create(machine, { getInitialSnapshot: { value: () => start } }) as AnyStateMachine;
  known.set(machine, same);
  return same;
}

export type Event = { type: string } & Readonly<Record<string, unknown>>;

/** The tick: the world was looked at again. */
export const observed: Event = { type: "observed" };

export type At<M extends AnyStateMachine = AnyStateMachine> = {
  state: string;
  facts: AnyStateMachine extends M ? Facts : ContextFrom<M>;
};

export type StateName<M extends AnyStateMachine> = AnyStateMachine extends M ? string : StateValueFrom<M> & string;
/** The names of a machine's actions: a table over them is complete, or does not compile. */
export type ActionName<M extends AnyStateMachine> =
  // XState offers no other way to its fifth parameter than to match all fourteen.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  M extends StateMachine<any, any, any, any, infer Action, any, any, any, any, any, any, any, any, any>
    ? Action extends { type: infer Name extends string }
      ? Name
      : never
    : never;

export type Tone = "idle" | "busy" | "good" | "warn" | "bad";
export type StateMeta = { tone: Tone; summary: string };

export type CommandArg = {
  type: "integer" | "string" | "boolean";
  title: string;
  min?: number;
  max?: number;
  options?: readonly string[];
  /** What holds when the caller does not say. */
  default?: unknown;
  /** What a form begins with, where only the caller can know: never taken for said. */
  suggested?: unknown;
};

export type CommandMeta = { title: string; summary: string; destroys?: true; args?: Record<string, CommandArg> };

export type LifecycleMeta = {
  title: string;
  description: string;
  /** States where a resource may rest for ever; one of them is reachable from everywhere. */
  settled: readonly string[];
  /** Every value that each fact can take, so that all of them can be tried. */
  facts: Record<string, readonly unknown[]>;
  guards: Record<string, { yes: string; no: string }>;
  actions: Record<string, string>;
  /**
   * Actions that say how things are to be, and write nothing where they are so already: only these may be asked for again
   * while the facts stay as they are.
   */
  repeats?: readonly string[];
  /** Actions that the status notes in a way that changes facts, and which: after them the same facts do not come again. */
  outdates?: Record<string, readonly string[]>;
  commands: Record<string, CommandMeta>;
  /** States that are drawn together, by the name of what they are inside of. */
  boxes?: Record<string, readonly string[]>;
};

export function snapshotAt<M extends AnyStateMachine>(machine: M, { state, facts }: At<M>) {
  if (!Object.hasOwn(machine.states, state)) {
    throw new Error(`${machine.id} has no state "${state}"; it has ${statesOf(machine).join(", ")}`);
  }
  return (machine as AnyStateMachine).resolveState({ value: state, context: facts });
}

export function statesOf<M extends AnyStateMachine>(machine: M) {
  // The keys of a flat machine are its states; XState types them as plain strings.
  return Object.keys(machine.states) as StateName<M>[];
}

export function initialOf(machine: AnyStateMachine): string {
  return machine.root.initial.target[0]?.key ?? "";
}

export function metaOf(machine: AnyStateMachine): LifecycleMeta {
  // XState leaves the type of meta open; the conformance tests hold every machine to this one.
  return machine.root.meta as LifecycleMeta;
}

export function stateMetaOf(machine: AnyStateMachine, state: string): StateMeta {
  // As above. A state of an older release that a resource still carries has no meta; it is shown as it is.
  const meta = machine.states[state]?.meta as StateMeta | undefined;
  return meta ?? { tone: "warn", summary: `A state that ${machine.id} does not know` };
}
