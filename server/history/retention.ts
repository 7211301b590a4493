import type { Database } from "@/server/db/database";
import type { Clock, Timer } from "@/server/kubernetes/clock";

export type Retention = { keepDays: number; keepPerResource: number };

const DAY_MS = 86_400_000;
/** Readers that were away for longer start afresh. */
const GONE_DAYS = 1;
/** Rates are told of the last day; the hour before it is still under way. */
const PACE_DAYS = 2;
const EVERY_MS = 3_600_000;

/** Forgets what is older than wanted, and what a resource has too much of. The audit log is never forgotten. */
export async function prune(database: Database, { keepDays, keepPerResource }: Retention, now: number): Promise<void> {
  const oldest = new Date(now - keepDays * DAY_MS);
  await database.query(`DELETE FROM "Transition" WHERE "at" < $1`, [oldest]);
  await database.query(`DELETE FROM "WarningEvent" WHERE "lastSeen" < $1`, [oldest]);
  // A finished job's commands stay in the audit log; what goes is the list of its items.
  await database.query(
    `WITH forgotten AS (DELETE FROM "BulkJob" WHERE "finishedAt" < $1 RETURNING "id")
     DELETE FROM "BulkItem" USING forgotten WHERE "BulkItem"."jobId" = forgotten."id"`,
    [oldest],
  );
  // Of each object the newest generation stays: the next one is told against it.
  await database.query(
    `DELETE FROM "Generation" WHERE "at" < $1 AND EXISTS (
       SELECT 1 FROM "Generation" newer WHERE newer."uid" = "Generation"."uid" AND newer."generation" > "Generation"."generation")`,
    [oldest],
  );
  for (const [table, order] of [
    ["Transition", `"id"`],
    ["WarningEvent", `"lastSeen"`],
  ] as const) {
    await database.query(
      `DELETE FROM "${table}" USING (
         SELECT "id", row_number() OVER (PARTITION BY "resourceId" ORDER BY ${order} DESC) AS "nth" FROM "${table}"
         WHERE "resourceId" IN (SELECT "resourceId" FROM "${table}" GROUP BY 1 HAVING count(*) > $1)
       ) ranked WHERE ranked."id" = "${table}"."id" AND ranked."nth" > $1`,
      [keepPerResource],
    );
  }
  await database.query(`DELETE FROM "Pace" WHERE "hour" < $1`, [new Date(now - PACE_DAYS * DAY_MS)]);
  await forgetGone(database, new Date(now - GONE_DAYS * DAY_MS));
}

/** A reader that stopped before a forgotten mark cannot be told of it, so the horizon moves with it. */
async function forgetGone(database: Database, before: Date): Promise<void> {
  await database.query(
    `WITH forgotten AS (DELETE FROM "Resource" WHERE "deletedAt" < $1 RETURNING "version")
     UPDATE "Counter" SET "value" = greatest("value", (SELECT max("version") FROM forgotten))
     WHERE "name" = 'horizon' AND EXISTS (SELECT 1 FROM forgotten)`,
    [before],
  );
}

/** Prunes every hour until stopped. */
export function startRetention(options: {
  database: Database;
  clock: Clock;
  retention: Retention;
  onError: (error: unknown) => void;
}): { stop: () => Promise<void> } {
  const { database, clock, retention, onError } = options;
  let timer: Timer;
  let work: Promise<void> = Promise.resolve();
  const run = () => {
    work = prune(database, retention, clock.now()).catch(onError);
    timer = clock.setTimeout(run, EVERY_MS);
  };
  timer = clock.setTimeout(run, EVERY_MS / 60);
  return {
    stop: async () => {
      timer.cancel();
      await work;
    },
  };
}
