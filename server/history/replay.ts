import { contentHash } from "@/machines/content-hash";
import type { Kind } from "@/machines/kind";
import { step } from "@/machines/lifecycle";
import type { Database } from "@/server/db/database";

export type Divergence = { id: string; resourceId: string; lifecycle: string; sentence: string };

type Told = {
  resourceId: string;
  uid: string;
  kind: string;
  lifecycle: string;
  machine: string;
  from: string;
  to: string;
  event: string;
  facts: Record<string, unknown>;
  error: string | null;
  droppedBefore: number;
};
type Stored = Told & { id: string };

/**
 * Folds the stored events of every resource through its machine. What comes out must be the stored states: history
 * that the machine cannot repeat is history that nobody can rely on.
 */
export async function replay(
  database: Database,
  kinds: Record<string, Kind>,
): Promise<{ replayed: number; divergences: Divergence[] }> {
  const divergences: Divergence[] = [];
  const divergenceOf = createFold(kinds);
  let replayed = 0;
  for (let after = "0"; ;) {
    const page = await database.query<Stored>(
      `SELECT "id"::text AS "id", "resourceId", "uid", "kind", "lifecycle", "machine", "from", "to", "event", "facts", "error", "droppedBefore"
       FROM "Transition" WHERE "id" > $1 ORDER BY "Transition"."id" LIMIT 5000`,
      [after],
    );
    for (const row of page) {
      const sentence = divergenceOf(row);
      if (sentence) divergences.push({ id: row.id, resourceId: row.resourceId, lifecycle: row.lifecycle, sentence });
      replayed++;
    }
    const last = page.at(-1);
    if (!last) return { replayed, divergences };
    after = last.id;
  }
}

/** One transition after the other, in their order; a sentence where the machine would have gone elsewhere. */
export function createFold(kinds: Record<string, Kind>): (row: Told) => string | null {
  const at = new Map<string, string>();
  return (row) => {
    const lifecycle = kinds[row.kind]?.lifecycles[row.lifecycle];
    const key = `${row.resourceId}/${row.uid}/${row.lifecycle}`;
    const before = at.get(key);
    at.set(key, row.to);
    // A composed lifecycle takes no steps of its own, and an older machine's code is gone.
    if (!lifecycle || lifecycle.composedOf || contentHash(lifecycle.machine) !== row.machine) return null;
    if (before !== undefined && before !== row.from && row.droppedBefore === 0)
      return `it was left in ${before} and goes on from ${row.from}`;
    // What failed half-way has not moved; that it stays is all that can be asked of it.
    if (row.error !== null && row.from === row.to) return null;
    const { state } = step(lifecycle.machine, { state: row.from, facts: row.facts }, { type: row.event });
    return state === row.to ? null : `the machine goes from ${row.from} to ${state}, stored is ${row.to}`;
  };
}
