import type { Database } from "@/server/db/database";

/**
 * The token of the lease that history was last written with; undefined before the first. The database may outlive the
 * lease, and a lease that counts from 0 again would be taken for one that has passed on.
 */
export async function storedFence(database: Database): Promise<number | undefined> {
  const [stored] = await database.query<{ fence: string }>(
    `SELECT "fence"::text AS "fence" FROM "Projection" WHERE "name" = 'worker'`,
  );
  return stored && Number(stored.fence);
}
