import type { Database } from "@/server/db/database";

/** A fleet of kettles and its history, made inside the database: a million rows would take an hour through passes. */
export async function seedFleet(database: Database, resources: number, transitions: number): Promise<void> {
  await database.query(
    `INSERT INTO "Resource" ("id", "family", "kind", "namespace", "name", "uid", "generation", "resourceVersion", "state", "tone",
       "attention", "since", "lifecycles", "sentence", "reason", "labels", "commands", "known", "machines", "digest", "version", "seenAt")
     SELECT 'kitchen.kettle/ns-' || i % 40 || '/kettle-' || i, 'kitchen', 'kitchen.kettle', 'ns-' || i % 40, 'kettle-' || i,
       gen_random_uuid()::text, 1, i::text, s.state, s.tone, s.attention, now() - i * interval '37 seconds',
       jsonb_build_object('phase', jsonb_build_object('state', s.state, 'tone', s.tone, 'since', null)),
       'Getting the water to boil: the water does not boil yet (Heater kettle-' || i || ': ' || i % 100 || ' degrees); then hot',
       'the water does not boil yet (Heater kettle-' || i || ': ' || i % 100 || ' degrees)',
       jsonb_build_object('team', 't-' || i % 20, 'app', 'tea'), '["start", "stop"]', '{}', '{}', i::text, i, now()
     FROM generate_series(1, $1) i
     CROSS JOIN LATERAL (SELECT (ARRAY['off', 'heating', 'hot'])[1 + i % 3] AS state,
       (ARRAY['idle', 'busy', 'good', 'warn', 'bad'])[1 + i % 5] AS tone, i % 5 AS attention) s`,
    [resources],
  );
  await database.query(
    `INSERT INTO "Transition" ("id", "resourceId", "uid", "kind", "lifecycle", "pass", "at", "machine", "from", "to", "event", "edge",
       "flipped", "facts", "evidence", "actions", "writes", "dwellMs")
     SELECT i, 'kitchen.kettle/ns-' || (i % $2) % 40 || '/kettle-' || i % $2, 'u', 'kitchen.kettle', 'phase', i::text,
       now() - i * interval '1 second', 'hash', 'off', 'heating', 'observed', 'off.observed.0', '[]',
       '{"wanted": true, "filled": true, "temperature": "cold"}', '{}', '["heat"]', '[]', i % 100000
     FROM generate_series(1, $1) i`,
    [transitions, resources],
  );
  await database.query(
    `INSERT INTO "EdgeCount" SELECT "machine", "kind", "lifecycle", "edge", min("from"), min("to"), count(*) FROM "Transition" GROUP BY 1, 2, 3, 4`,
  );
  await database.query(
    `INSERT INTO "Dwell" SELECT "kind", "lifecycle", "from", ("dwellMs" / 2000)::smallint, count(*) FROM "Transition" GROUP BY 1, 2, 3, 4`,
  );
  await database.query(`UPDATE "Counter" SET "value" = $1 WHERE "name" = 'change'`, [resources + transitions]);
  await database.query(`ANALYZE "Resource"`);
}
