import { contentHash } from "@/machines/content-hash";
import type { Kind } from "@/machines/kind";
import type { Database } from "@/server/db/database";
import { definitionOf } from "@/server/resources/definition";

const stored = new WeakSet<Database>();

/** Keeps every version of every machine, so that history can be shown in the diagram of its time. */
export async function storeMachines(database: Database, kinds: Record<string, Kind>, now: number): Promise<void> {
  if (stored.has(database)) return;
  const rows = Object.entries(kinds).flatMap(([kind, { lifecycles }]) =>
    Object.entries(lifecycles).map(([lifecycle, { machine }]) => ({
      hash: contentHash(machine),
      kind,
      lifecycle,
      definition: definitionOf(machine),
    })),
  );
  await database.query(
    `INSERT INTO "Machine" ("hash", "kind", "lifecycle", "definition", "firstSeenAt")
     SELECT "hash", "kind", "lifecycle", "definition", $2
     FROM jsonb_to_recordset($1::jsonb) AS given("hash" text, "kind" text, "lifecycle" text, "definition" jsonb)
     ON CONFLICT ("hash") DO NOTHING`,
    [JSON.stringify(rows), new Date(now)],
  );
  stored.add(database);
}
