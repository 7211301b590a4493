import { and, not, or, type AnyStateMachine } from "xstate";

/** A transition's condition: names of guards, composed. A composite that has a name of its own keeps it. */
export type Guard = { op: "is"; name: string } | { op: "and" | "or" | "not"; name?: string; of: Guard[] };

type Composite = "and" | "or" | "not";

/** What XState holds as a guard: a name, an object with one, or a function; the functions of and, or and not carry what they compose. */
type Raw = string | { type: string } | (((args: never) => boolean) & { check?: unknown; guards?: readonly Raw[] });

export function guardOf(machine: AnyStateMachine, raw: unknown): Guard | null {
  // XState hides the parts of a composite from its types; Raw is their shape at run time, pinned by the tests.
  return raw === undefined ? null : parse(machine, raw as Raw);
}

/** The names in a guard, in the order they are tried. */
export function leavesOf(guard: Guard): string[] {
  return guard.op === "is" ? [guard.name] : guard.of.flatMap(leavesOf);
}

/** A guard in words of its names: "ready and not (drifted or paused)". */
export function guardText(guard: Guard): string {
  if (guard.op === "is" || guard.name) return guard.name ?? "";
  const parts = guard.of.map((part) => (part.op === "is" || part.name ? guardText(part) : `(${guardText(part)})`));
  return guard.op === "not" ? `not ${parts.join("")}` : parts.join(` ${guard.op} `);
}

function parse(machine: AnyStateMachine, raw: Raw, name?: string): Guard {
  if (typeof raw === "function") {
    const op = compositeOf(raw);
    if (op) return { op, ...(name && { name }), of: (raw.guards ?? []).map((part) => parse(machine, part)) };
    if (name) return { op: "is", name };
    throw new Error(`${machine.id} has a guard without a name; only named guards can be explained`);
  }
  const named = typeof raw === "string" ? raw : raw.type;
  const implementation = machine.implementations.guards[named] as Raw | undefined;
  if (!implementation) throw new Error(`${machine.id} uses the guard "${named}", which is not implemented`);
  return parse(machine, implementation, named);
}

// By the identity of XState's own check functions: names of functions do not survive a minifier.
const composites = new Map<unknown, Composite>([
  [checkOf(and([])), "and"],
  [checkOf(or([])), "or"],
  [checkOf(not("any")), "not"],
]);

function compositeOf(raw: { check?: unknown }): Composite | undefined {
  return raw.check === undefined ? undefined : composites.get(raw.check);
}

function checkOf(guard: unknown): unknown {
  return (guard as { check?: unknown }).check;
}
