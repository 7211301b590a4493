import type { Database } from "@/server/db/database";
import { writeBatch } from "@/server/history/write-batch";
import type { RowEntry } from "@/server/history/row-entry";

/** A fleet of engines as lists see it, made inside the database. */
export async function seedEngines(database: Database, resources: number): Promise<void> {
  await database.query(
    `INSERT INTO "Resource" ("id", "family", "kind", "namespace", "name", "uid", "generation", "resourceVersion", "state", "tone",
       "attention", "since", "lifecycles", "sentence", "reason", "labels", "commands", "known", "machines", "digest", "version", "seenAt")
     SELECT 'firebolt.engine/ns-' || i % 40 || '/engine-' || lpad(i::text, 6, '0'), 'firebolt', 'firebolt.engine', 'ns-' || i % 40,
       'engine-' || lpad(i::text, 6, '0'), gen_random_uuid()::text, 1, i::text, s.state, s.tone, s.attention, now() - i * interval '37 seconds',
       jsonb_build_object('phase', jsonb_build_object('state', s.state, 'tone', s.tone, 'since', null)),
       'Building the next generation: its pods are not all ready yet (StatefulSet engine-' || i || '-g0: 0 of 3 pods)',
       'its pods are not all ready yet', '{"team": "a"}', '["stop", "scale", "restart"]', '{}', '{}', i::text, i, now()
     FROM generate_series(1, $1) i
     CROSS JOIN LATERAL (SELECT (ARRAY['creating', 'stable', 'stopped'])[1 + i % 3] AS state,
       (ARRAY['busy', 'good', 'idle'])[1 + i % 3] AS tone, (ARRAY[2, 3, 4])[1 + i % 3] AS attention) s`,
    [resources],
  );
  await database.query(`UPDATE "Counter" SET "value" = $1 WHERE "name" = 'change'`, [resources]);
  await database.query(`ANALYZE "Resource"`);
}

/** The first of them, by name, written as a worker writes what its passes found. */
export async function changeRows(database: Database, count: number, sentence: string): Promise<void> {
  const rows = await database.query<{ id: string }>(`SELECT * FROM "Resource" ORDER BY "name" COLLATE "C" LIMIT $1`, [
    count,
  ]);
  await writeBatch(database, {
    rows: rows.map(
      (row) =>
        // The stored row is the row to be written, with one sentence changed.
        ({
          id: row.id,
          at: Date.now(),
          gone: false,
          row: { ...row, sentence, digest: sentence },
        }) as unknown as RowEntry,
    ),
    generations: [],
    transitions: [],
    fence: 1,
    about: { lagMs: 0, buffered: 0, dropped: 0, at: Date.now() },
  });
}
