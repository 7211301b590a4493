import type { AnyStateMachine } from "xstate";
import type { Facts } from "./facts";
import { evaluate } from "./guard-tree";
import { metaOf } from "./lifecycle";

export type TruthTable = { facts: string[]; rows: { facts: Facts; value: boolean }[] };

/** What a guard says for every combination of the facts that it depends on: its behaviour, whatever its code looks like. */
export function truthTable(machine: AnyStateMachine, guard: string): TruthTable {
  const read = factsRead(machine, guard);
  const all = rowsOf(machine, guard, read);
  const facts = read.filter((fact) => decides(fact, all));
  return { facts, rows: rowsOf(machine, guard, facts) };
}

/** Every combination of values of the named facts, over the machine's own context for the others. */
export function combinations(machine: AnyStateMachine, facts: readonly string[]): Facts[] {
  return facts.reduce<Facts[]>(
    (rows, fact) => rows.flatMap((row) => domainOf(machine, fact).map((value) => ({ ...row, [fact]: value }))),
    [{}],
  );
}

/** The facts that a guard may look at, found by trying: what it reads can depend on what it read before. */
export function factsRead(machine: AnyStateMachine, guard: string): string[] {
  let found: string[] = [];
  for (;;) {
    const read = new Set(found);
    for (const facts of combinations(machine, found)) {
      for (const fact of evaluate(machine, guard, calm(machine, facts)).read) read.add(fact);
    }
    if (read.size === found.length) return found;
    found = [...read].sort();
  }
}

/** The machine's own context with these facts in it. */
export function calm(machine: AnyStateMachine, facts: Facts): Facts {
  // The context of a machine of ours is its facts at rest, never a factory.
  return { ...(machine.config.context as Facts | undefined), ...facts };
}

function rowsOf(machine: AnyStateMachine, guard: string, facts: readonly string[]): TruthTable["rows"] {
  return combinations(machine, facts).map((row) => ({
    facts: row,
    value: evaluate(machine, guard, calm(machine, row)).value,
  }));
}

function decides(fact: string, rows: TruthTable["rows"]): boolean {
  const values = new Map<string, boolean>();
  return rows.some(({ facts, value }) => {
    const others = JSON.stringify({ ...facts, [fact]: null });
    const before = values.get(others);
    values.set(others, value);
    return before !== undefined && before !== value;
  });
}

function domainOf(machine: AnyStateMachine, fact: string): readonly unknown[] {
  const domain = metaOf(machine).facts[fact];
  if (!domain)
    throw new Error(`${machine.id}: a guard reads the fact "${fact}", whose values meta.facts does not list`);
  return domain;
}
