import type { AnyStateMachine } from "xstate";
import type { Evidence, Facts, Known } from "./facts";
import type { Guard } from "./guard";
import { metaOf, observed } from "./lifecycle";

/** A guard with its value and the reason for it. The value of a branch is the fold of its leaves. */
export type GuardTree =
  | { op: "and" | "or" | "not"; value: boolean; of: GuardTree[] }
  | { op: "is"; name: string; value: boolean; sentence: string; evidence: Evidence[] };

export function guardTree(machine: AnyStateMachine, guard: Guard, known: Known): GuardTree {
  if (guard.op === "is") return leaf(machine, guard.name, known);
  const of = guard.of.map((part) => guardTree(machine, part, known));
  const fold = folds[guard.op];
  return { op: guard.op, value: fold(of.map((part) => part.value)), of };
}

/** Whether a guard is true of these facts. */
export function holds(machine: AnyStateMachine, guard: Guard, facts: Facts): boolean {
  if (guard.op === "is") return evaluate(machine, guard.name, facts).value;
  return folds[guard.op](guard.of.map((part) => holds(machine, part, facts)));
}

/** One named guard, and which facts it looked at to decide. */
export function evaluate(machine: AnyStateMachine, name: string, facts: Facts): { value: boolean; read: string[] } {
  // The guards of a flat machine take its context and no parameters; XState's type allows for more.
  const guard = machine.implementations.guards[name] as
    ((args: { context: Facts; event: object }) => boolean) | undefined;
  if (!guard) throw new Error(`${machine.id} uses the guard "${name}", which is not implemented`);
  const read = new Set<string>();
  const context = new Proxy(facts, {
    get(target, fact, receiver): unknown {
      if (typeof fact === "string") read.add(fact);
      return Reflect.get(target, fact, receiver);
    },
  });
  return { value: guard({ context, event: observed }), read: [...read] };
}

const folds: Record<"and" | "or" | "not", (values: boolean[]) => boolean> = {
  and: (values) => values.every(Boolean),
  or: (values) => values.some(Boolean),
  not: (values) => !values[0],
};

function leaf(machine: AnyStateMachine, name: string, known: Known): GuardTree {
  const { value, read } = evaluate(machine, name, known.facts);
  const wording = metaOf(machine).guards[name];
  const evidence = read.flatMap((fact) => known.evidence[fact] ?? []);
  return { op: "is", name, value, sentence: wording?.[value ? "yes" : "no"] ?? name, evidence };
}

/** The sentences of the leaves that made the tree's value what it is: for a false `and` only the false ones. */
export function sentencesOf(tree: GuardTree): string[] {
  return decisive(tree).map((leaf) => leaf.sentence);
}

export function decisive(tree: GuardTree): Leaf[] {
  if (tree.op === "is") return [tree];
  const agreeing = tree.op === "not" ? tree.of : tree.of.filter((part) => part.value === tree.value);
  return agreeing.flatMap(decisive);
}

type Leaf = Extract<GuardTree, { op: "is" }>;
