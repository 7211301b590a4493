import { feldera } from "./feldera/family";
import { firebolt } from "./firebolt/family";
import type { Kind } from "./kind";

export type Family = { title: string; kinds: Record<string, Kind> };

/** The one list of families. Add a line and the compiler names every other place that needs one. */
export const families = { firebolt, feldera } satisfies Record<string, Family>;

type Families = typeof families;

type IdsOf<F extends Record<string, Family>> = {
  [Id in keyof F & string]: `${Id}.${keyof F[Id]["kinds"] & string}`;
}[keyof F & string];

/** "firebolt.engine" | … */
export type KindId = IdsOf<Families>;

/** Every kind of every family by its id. */
export const kinds = kindsOf(families);

function kindsOf(of: Record<string, Family>): Record<KindId, Kind> {
  const entries = Object.entries(of).flatMap(([family, { kinds }]) =>
    Object.entries(kinds).map(([kind, definition]) => [`${family}.${kind}`, definition] as const),
  );
  // The ids are made by the same rule as the type KindId, which the compiler cannot see through fromEntries.
  return Object.fromEntries(entries) as Record<KindId, Kind>;
}
