import type { Database } from "@/server/db/database";
import type { Key } from "@/server/reconcile/reconciler";

/** Has every stored resource looked at again: one that was deleted while no worker ran is found to be gone. */
export async function wakeKnown(database: Database, wake: (kind: string, key: Key) => void): Promise<void> {
  const rows = await database.query<Key & { kind: string }>(
    `SELECT "kind", "namespace", "name" FROM "Resource" WHERE "deletedAt" IS NULL`,
  );
  for (const { kind, namespace, name } of rows) wake(kind, { namespace, name });
}
