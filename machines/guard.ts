import type { AnyStateMachine } from "xstate";

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

/**
 * By what XState's check function says of made-up parts: names do not survive a minifier, and a machine made by one copy
 * of XState may be read by another.
 */
function compositeOf({ check, guards }: { check?: unknown; guards?: unknown }): Composite | undefined {
  if (typeof check !== "function" || !Array.isArray(guards)) return undefined;
  const says = (...parts: boolean[]) =>
    (check as Check)({ machine: null }, { context: {}, event: {} }, { guards: parts.map((part) => () => part) });
  if (says(false, false)) return "not";
  return says(true, false) ? "or" : "and";
}

type Check = (snapshot: { machine: null }, args: object, resolved: { guards: (() => boolean)[] }) => boolean;
