import type { AnyStateMachine } from "xstate";
import { edgesOf } from "./edges";
import { leavesOf } from "./guard";
import { initialOf, metaOf, statesOf, stateMetaOf } from "./lifecycle";
import { truthTable } from "./truth-table";

const known = new WeakMap<AnyStateMachine, string>();

/**
 * Names what a machine does and says. Guards count by their truth tables, not by their code: the same machine has the
 * same hash in the worker, in a bundle and in a minified page.
 */
export function contentHash(machine: AnyStateMachine): string {
  const hash = known.get(machine) ?? fingerprint(canonical(contentOf(machine)));
  known.set(machine, hash);
  return hash;
}

function contentOf(machine: AnyStateMachine) {
  const edges = edgesOf(machine);
  const { settled, facts, ...meta } = metaOf(machine);
  const guards = [...new Set(edges.flatMap(({ guard }) => (guard ? leavesOf(guard) : [])))];
  return {
    id: machine.id,
    initial: initialOf(machine),
    // What is declared for the conformance tests alone is neither behaviour nor wording.
    meta: { ...meta, repeats: undefined, outdates: undefined },
    // In which order they are listed says nothing.
    settled: settled.toSorted(),
    facts: Object.fromEntries(Object.entries(facts).map(([fact, values]) => [fact, unordered(values)])),
    states: Object.fromEntries(statesOf(machine).map((state) => [state, stateMetaOf(machine, state)])),
    edges: unordered(edges),
    guards: Object.fromEntries(guards.map((guard) => [guard, unordered(truthTable(machine, guard).rows)])),
  };
}

function unordered(values: readonly unknown[]): string[] {
  return values.map(canonical).sort();
}

/** JSON whose keys are in order, so that the order of writing does not count. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** FNV-1a of 64 bits: short, the same everywhere, and no secret hangs on it. */
function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}
