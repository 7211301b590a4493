import type { Database, Query } from "@/server/db/database";
import { CHANNEL, textOfNews } from "@/server/live/news";
import { ownError } from "@/server/own-error";
import type { NewTransition } from "./entry";
import { insertGenerations, type NewGeneration } from "./generations";
import type { NewRow, RowEntry } from "./row-entry";

/** What is written together: all of it or nothing. */
export type Batch = {
  rows: readonly RowEntry[];
  transitions: readonly NewTransition[];
  generations: readonly NewGeneration[];
  fence: number;
  about: { lagMs: number; buffered: number; dropped: number; at: number };
};

/** A worker that lost the lease: another one writes now, and this one's view is of the past. */
export class Fenced extends ownError("Fenced") {}

/** One transaction. Written twice it leaves the same: rows by their digest, transitions by their pass. */
export async function writeBatch(database: Database, batch: Batch): Promise<void> {
  const { rows, transitions, generations } = batch;
  await database.transaction(async (query) => {
    const upTo = await claimNumbers(query, rows.length + transitions.length, batch);
    const after = upTo - BigInt(rows.length + transitions.length);
    const numbered = rows.map((entry, at) => ({ entry, version: (after + BigInt(at + 1)).toString() }));
    await insertGenerations(query, generations);
    await insertTransitions(query, transitions, after + BigInt(rows.length + 1));
    const changed = await upsertRows(
      query,
      numbered.flatMap(({ entry, version }) => (entry.gone ? [] : [{ ...entry.row, version }])),
    );
    const gone = await markGone(
      query,
      numbered.flatMap(({ entry, version }) => (entry.gone ? [{ id: entry.id, at: new Date(entry.at), version }] : [])),
    );
    await query("SELECT 1 FROM pg_notify($1, $2)", [CHANNEL, textOfNews({ after, upTo, rows: changed, gone })]);
  });
}

/**
 * The last of so many numbers in the order of all changes, for a worker that may write. The counter's row is locked until
 * the commit, so numbers become visible in their order and none is skipped by a reader.
 */
async function claimNumbers(query: Query, count: number, { fence, about }: Batch): Promise<bigint> {
  const [counter] = await query<{ value: string }>(
    `WITH claimed AS (
       INSERT INTO "Projection" ("name", "fence", "lagMs", "buffered", "dropped", "at") VALUES ('worker', $1, $2, $3, $4, $5)
       ON CONFLICT ("name") DO UPDATE SET "fence" = excluded."fence", "lagMs" = excluded."lagMs", "buffered" = excluded."buffered",
         "dropped" = excluded."dropped", "at" = excluded."at"
       WHERE "Projection"."fence" <= excluded."fence" RETURNING 1
     )
     UPDATE "Counter" SET "value" = "value" + $6 FROM claimed WHERE "name" = 'change' RETURNING "value"::text AS "value"`,
    [fence, Math.round(about.lagMs), about.buffered, about.dropped, new Date(about.at), count],
  );
  if (!counter) throw new Fenced("A worker with a newer lease writes the projection.");
  return BigInt(counter.value);
}

const rowTypes = {
  id: "text",
  family: "text",
  kind: "text",
  namespace: "text",
  name: "text",
  uid: "text",
  generation: "int",
  resourceVersion: "text",
  state: "text",
  tone: "text",
  attention: "smallint",
  since: "timestamptz",
  lifecycles: "jsonb",
  sentence: "text",
  reason: "text",
  owner: "jsonb",
  labels: "jsonb",
  commands: "jsonb",
  known: "jsonb",
  machines: "jsonb",
  looksAgainAt: "timestamptz",
  error: "text",
  digest: "text",
  version: "bigint",
  seenAt: "timestamptz",
} as const;

type NumberedRow = NewRow & { version: string };

/** The rows that are not as they were: only they have taken their number. */
async function upsertRows(query: Query, rows: readonly NumberedRow[]): Promise<NumberedRow[]> {
  if (rows.length === 0) return [];
  const names = Object.keys(rowTypes).map((name) => `"${name}"`);
  const updates = names
    .filter((name) => name !== `"id"` && name !== `"version"`)
    .map((name) => `${name} = excluded.${name}`);
  const written = await query<{ version: string }>(
    `INSERT INTO "Resource" (${names.join(", ")})
     SELECT ${names.join(", ")} FROM jsonb_to_recordset($1::jsonb) AS given(${columnsOf(rowTypes)})
     ON CONFLICT ("id") DO UPDATE SET ${updates.join(", ")}, "deletedAt" = NULL,
       "version" = CASE WHEN "Resource"."digest" = excluded."digest" AND "Resource"."deletedAt" IS NULL
                   THEN "Resource"."version" ELSE excluded."version" END
     RETURNING "version"::text AS "version"`,
    [JSON.stringify(rows)],
  );
  const versions = new Set(written.map(({ version }) => version));
  return rows.filter(({ version }) => versions.has(version));
}

async function markGone(query: Query, gone: readonly { id: string; at: Date; version: string }[]) {
  if (gone.length === 0) return [];
  return query<{ id: string; version: string }>(
    `UPDATE "Resource" SET "deletedAt" = given."at", "version" = given."version"
     FROM jsonb_to_recordset($1::jsonb) AS given("id" text, "at" timestamptz, "version" bigint)
     WHERE "Resource"."id" = given."id" AND "Resource"."deletedAt" IS NULL
     RETURNING "Resource"."id", "Resource"."version"::text AS "version"`,
    [JSON.stringify(gone)],
  );
}

const transitionTypes = {
  id: "bigint",
  resourceId: "text",
  uid: "text",
  kind: "text",
  lifecycle: "text",
  pass: "text",
  at: "timestamptz",
  machine: "text",
  from: "text",
  to: "text",
  event: "text",
  edge: "text",
  guard: "text",
  flipped: "jsonb",
  facts: "jsonb",
  evidence: "jsonb",
  actions: "jsonb",
  writes: "jsonb",
  error: "text",
  dwellMs: "bigint",
  droppedBefore: "int",
  generation: "int",
  conditions: "jsonb",
} as const;

/**
 * With the counts that machines show, and the person who asked: a command is told of by the first pass that read what it
 * wrote, and where that had to wait, by the first move of the lifecycle that the command is of. What failed leaves it to
 * the next try. One still under way, or of a server whose versions have no order, is known by its time alone.
 */
async function insertTransitions(query: Query, transitions: readonly NewTransition[], first: bigint): Promise<void> {
  if (transitions.length === 0) return;
  const names = Object.keys(transitionTypes).map((name) => `"${name}"`);
  const givenTypes = { ...transitionTypes, bucket: "smallint", readVersion: "numeric", readBefore: "numeric" };
  await query(
    `WITH given AS (
       SELECT * FROM jsonb_to_recordset($1::jsonb) AS given(${columnsOf(givenTypes)})
     ), asked AS (
       SELECT DISTINCT ON (given."resourceId", given."lifecycle", newest."id", given."error" IS NULL)
         given."id" AS "transition", newest."id", newest."actor"
       FROM given CROSS JOIN LATERAL (
         SELECT c."id", c."actor", c."machine", "version" FROM "Command" c
         CROSS JOIN LATERAL (SELECT substring(c."changed" #>> '{answer,resourceVersion}' FROM '^[1-9][0-9]*$')::numeric AS "version") wrote
         WHERE c."resourceId" = given."resourceId" AND c."outcome" IN ('accepted', 'running')
           AND (c."outcome" = 'running' OR c."changed" -> 'patch' <> '{}') AND coalesce("version" <= given."readVersion", c."at" <= given."at")
         ORDER BY c."order" DESC LIMIT 1) newest
       WHERE ((newest."version" > given."readBefore") IS NOT FALSE OR newest."machine" = given."machine")
         AND NOT EXISTS (SELECT 1 FROM "Transition" t
           WHERE t."commandId" = newest."id" AND t."lifecycle" = given."lifecycle" AND t."error" IS NULL)
       ORDER BY given."resourceId", given."lifecycle", newest."id", given."error" IS NULL, given."id"
     ), inserted AS (
       INSERT INTO "Transition" (${names.join(", ")}, "actor", "commandId")
       SELECT ${names.map((name) => `given.${name}`).join(", ")}, asked."actor", asked."id"
       FROM given LEFT JOIN asked ON asked."transition" = given."id"
       ON CONFLICT ("pass", "lifecycle") DO NOTHING
       RETURNING "id", "at", "machine", "kind", "lifecycle", "edge", "from", "to"
     ), paces AS (
       INSERT INTO "Pace" ("kind", "lifecycle", "hour", "edge", "from", "to", "bucket", "count")
       SELECT inserted."kind", inserted."lifecycle", date_trunc('hour', inserted."at", 'UTC'), coalesce(inserted."edge", ''),
         inserted."from", inserted."to", coalesce(given."bucket", -1), count(*)
       FROM inserted JOIN given ON given."id" = inserted."id" GROUP BY 1, 2, 3, 4, 5, 6, 7
       ON CONFLICT ("kind", "lifecycle", "hour", "edge", "from", "to", "bucket")
       DO UPDATE SET "count" = "Pace"."count" + excluded."count"
     ), edges AS (
       INSERT INTO "EdgeCount" ("machine", "kind", "lifecycle", "edge", "from", "to", "count")
       SELECT "machine", "kind", "lifecycle", "edge", min("from"), min("to"), count(*) FROM inserted
       WHERE "edge" IS NOT NULL GROUP BY 1, 2, 3, 4
       ON CONFLICT ("machine", "edge") DO UPDATE SET "count" = "EdgeCount"."count" + excluded."count"
     )
     INSERT INTO "Dwell" ("kind", "lifecycle", "state", "bucket", "count")
     SELECT given."kind", given."lifecycle", given."from", given."bucket", count(*)
     FROM inserted JOIN given ON given."id" = inserted."id" WHERE given."bucket" IS NOT NULL GROUP BY 1, 2, 3, 4
     ON CONFLICT ("kind", "lifecycle", "state", "bucket") DO UPDATE SET "count" = "Dwell"."count" + excluded."count"`,
    [JSON.stringify(transitions.map((transition, at) => ({ ...transition, id: (first + BigInt(at)).toString() })))],
  );
}

function columnsOf(types: Record<string, string>): string {
  return Object.entries(types)
    .map(([name, type]) => `"${name}" ${type}`)
    .join(", ");
}
