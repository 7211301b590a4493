import { createMachine, type AnyStateMachine } from "xstate";
import { metaOf, type LifecycleMeta } from "./lifecycle";

type Row = { target?: string; guard?: unknown; actions?: unknown };
type StateConfig = { meta?: unknown; on?: Record<string, readonly Row[]> };

export type Composition = {
  id: string;
  title: string;
  description: string;
  outer: AnyStateMachine;
  /** The state of `outer` that is replaced by the whole of `inner`. */
  box: string;
  inner: AnyStateMachine;
  /** Where the inner machine begins when the box is entered. */
  entry: string;
  /** The state of `inner` that means that the box is not entered, which the composition has no need of. */
  outside: string;
};

/**
 * One machine whose box is another machine, made from the two and never written down again. The way out of the box is a
 * way out of each state in it, and is tried first: what ends the box ends whatever goes on inside.
 */
export function compose({ id, title, description, outer, box, inner, entry, outside }: Composition): AnyStateMachine {
  const rename = (rows: readonly Row[]) => rows.map((row) => (row.target === box ? { ...row, target: entry } : row));
  const around = Object.entries(statesIn(outer))
    .filter(([name]) => name !== box)
    .map(([name, state]) => [name, { ...state, on: mapped(state.on, rename) }]);
  const boxed = statesIn(outer)[box];
  if (!boxed) throw new Error(`${outer.id} has no state "${box}" to replace`);
  const within = Object.entries(statesIn(inner))
    .filter(([name]) => name !== outside)
    .map(([name, state]) => [name, { ...state, on: joined(leaving(boxed.on), inside(state.on, outside)) }]);
  const states = Object.fromEntries([...around, ...within]) as Record<string, StateConfig>;
  return createMachine(
    {
      id,
      initial: outer.root.initial.target[0]?.key,
      context: { ...contextOf(outer), ...contextOf(inner) },
      meta: metaFor({ title, description, outer, box, inner, outside }),
      // Rows of machines that were type-checked where they are written.
      states: states as never,
    },
    {
      guards: { ...outer.implementations.guards, ...inner.implementations.guards },
      actions: { ...outer.implementations.actions, ...inner.implementations.actions },
    },
  ) as AnyStateMachine;
}

function metaFor({ title, description, outer, box, inner, outside }: Omit<Composition, "id" | "entry">): LifecycleMeta {
  const [around, within] = [metaOf(outer), metaOf(inner)];
  return {
    title,
    description,
    settled: [...around.settled.filter((state) => state !== box), ...within.settled.filter((s) => s !== outside)],
    facts: disjoint(around.facts, within.facts),
    guards: disjoint(around.guards, within.guards),
    actions: disjoint(around.actions, within.actions),
    commands: disjoint(around.commands, within.commands),
    boxes: { [box]: Object.keys(inner.states).filter((state) => state !== outside) },
  };
}

/** Two tables as one; a name in both would mean two things. */
function disjoint<Value>(one: Record<string, Value>, other: Record<string, Value>): Record<string, Value> {
  const twice = Object.keys(one).find((name) => Object.hasOwn(other, name));
  if (twice) throw new Error(`"${twice}" is in both of the machines that are composed`);
  return { ...one, ...other };
}

/** The box's rows that lead out of it, or do something on a command; what it does to stay goes on unseen. */
function leaving(on: StateConfig["on"] = {}): Record<string, readonly Row[]> {
  return mapped(on, (rows, event) => rows.filter((row) => row.target !== undefined || event !== "observed"));
}

function inside(on: StateConfig["on"] = {}, outside: string): Record<string, readonly Row[]> {
  return mapped(on, (rows) => rows.filter((row) => row.target !== outside));
}

function joined(first: Record<string, readonly Row[]>, then: Record<string, readonly Row[]>) {
  const events = [...new Set([...Object.keys(first), ...Object.keys(then)])];
  return Object.fromEntries(events.map((event) => [event, [...(first[event] ?? []), ...(then[event] ?? [])]]));
}

function mapped(on: StateConfig["on"], change: (rows: readonly Row[], event: string) => readonly Row[]) {
  return Object.fromEntries(Object.entries(on ?? {}).map(([event, rows]) => [event, change(rows, event)]));
}

function statesIn(machine: AnyStateMachine): Record<string, StateConfig> {
  // The configuration of a flat machine of ours: states with meta and rows, and nothing else.
  return machine.config.states as Record<string, StateConfig>;
}

function contextOf(machine: AnyStateMachine): Record<string, unknown> {
  return machine.config.context as Record<string, unknown>;
}
