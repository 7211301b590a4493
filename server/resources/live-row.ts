import type { Context } from "./context";
import { project } from "./project";
import type { Reading } from "./read-resource";
import { iso, type Row } from "./row";

type Stored = { version: string; looksAgainAt: Date | null; error: string | null };

/** The row of a resource as it is now; what only the worker knows comes from the last pass. */
export async function liveRow({ database }: Pick<Context, "database">, reading: Reading): Promise<Row> {
  const projected = project(reading);
  const [stored] = await database.query<Stored>(
    `SELECT "version"::text AS "version", "looksAgainAt", "error" FROM "Resource" WHERE "id" = $1 AND "uid" = $2`,
    [projected.id, projected.uid],
  );
  return {
    ...projected,
    version: stored?.version ?? "0",
    looksAgainAt: iso(stored?.looksAgainAt ?? null),
    error: stored?.error ?? null,
  };
}
