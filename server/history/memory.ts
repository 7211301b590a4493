import type { Kind } from "@/machines/kind";
import type { PassOutcome } from "@/server/reconcile/pass";
import { lifecycleStates } from "@/server/resources/lifecycle-states";
import type { Row } from "@/server/resources/row";
import { orderedVersion, type Memory } from "./entry";

/** The generation is told apart: it is stored by itself. */
type Told = Omit<Memory, "generation">;

/** What the next pass is told against; null: the resource is gone. */
export function memoryOf(outcome: PassOutcome, kind: Kind, before: Told | undefined): Told | null {
  const object = outcome.resourceAfter;
  if (!object) return null;
  const known = Object.keys(outcome.known).length > 0 ? outcome.known : (before?.known ?? {});
  const parsed = kind.schema.safeParse(object);
  const states = parsed.success ? statesIn(lifecycleStates(kind, parsed.data)) : (before?.states ?? {});
  const error = outcome.error ?? null;
  // What failed is done again: the pass that does it is still the first to follow what was asked.
  const readVersion = error === null ? orderedVersion(outcome.object) : (before?.readVersion ?? null);
  return { uid: object.metadata.uid ?? "", known, states, error, readVersion };
}

/** The same as a process before us stored it. */
export type StoredMemory = Omit<Memory, "states"> & { id: string; digest: string; lifecycles: Row["lifecycles"] };

export function statesIn(lifecycles: Record<string, { state: string }>): Record<string, string> {
  return Object.fromEntries(Object.entries(lifecycles).map(([name, { state }]) => [name, state]));
}
