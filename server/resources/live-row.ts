import type { Context } from "./context";
import { project } from "./project";
import type { Reading } from "./read-resource";
import { idOf, type Ref } from "./ref";
import { iso, type Row } from "./row";

/** What only the worker knows of a resource, from its last pass. */
export type LastPass = { uid: string; version: string; looksAgainAt: Date | null; error: string | null };

export async function lastPass({ database }: Pick<Context, "database">, ref: Ref): Promise<LastPass | null> {
  const [stored] = await database.query<LastPass>(
    `SELECT "uid", "version"::text AS "version", "looksAgainAt", "error" FROM "Resource" WHERE "id" = $1`,
    [idOf(ref)],
  );
  return stored ?? null;
}

/** The row of a resource as it is now. */
export function liveRow(reading: Reading, last: LastPass | null): Row {
  const projected = project(reading);
  // Of another resource that had the name before.
  const passed = last?.uid === projected.uid ? last : null;
  return {
    ...projected,
    version: passed?.version ?? "0",
    looksAgainAt: iso(passed?.looksAgainAt ?? null),
    error: passed?.error ?? null,
  };
}
