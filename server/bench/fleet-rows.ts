import { kinds } from "@/machines/families";
import { edgesOf } from "@/machines/edges";
import { metaOf, stateMetaOf, statesOf } from "@/machines/lifecycle";
import { contentHash } from "@/machines/content-hash";
import type { Database } from "@/server/db/database";
import { attention, worstTone } from "@/server/resources/lifecycle-states";

/** Every kind in every state of its first lifecycle, as a row of the fleet. */
function rowTemplates() {
  return Object.entries(kinds).flatMap(([kind, { lifecycles }]) => {
    const [first] = Object.values(lifecycles);
    return (first ? statesOf(first.machine) : []).map((_state, at) => {
      const standing = Object.entries(lifecycles).map(([name, { machine }]) => {
        const states = statesOf(machine);
        const state = states[at % states.length] ?? "";
        return [name, { state, tone: stateMetaOf(machine, state).tone, since: null }] as const;
      });
      const tone = worstTone(standing.map(([, state]) => state.tone));
      return {
        kind,
        family: kind.split(".")[0],
        state: standing[0]?.[1].state,
        tone,
        attention: attention[tone],
        lifecycles: Object.fromEntries(standing),
        commands: Object.values(lifecycles).flatMap(({ machine }) => Object.keys(metaOf(machine).commands)),
      };
    });
  });
}

/** Every edge of every machine, as something that happened; each kind's are numbered. */
function transitionTemplates() {
  return Object.entries(kinds).flatMap(([kind, { lifecycles }]) => {
    const ofKind = Object.entries(lifecycles).flatMap(([lifecycle, { machine }]) => {
      const facts = Object.entries(metaOf(machine).facts).map(([name, values]) => [name, values[0]] as const);
      const shared = { kind, lifecycle, machine: contentHash(machine), facts: Object.fromEntries(facts) };
      return edgesOf(machine).map(({ id, from, to, event, actions }) => ({
        ...shared,
        edge: id,
        from,
        to,
        event,
        actions,
      }));
    });
    return ofKind.map((template, nth) => ({ ...template, nth, of: ofKind.length }));
  });
}

/** A fleet of every kind and its history, made inside the database: a million rows would take an hour through passes. */
export async function seedFleet(database: Database, resources: number, transitions: number): Promise<void> {
  await seedRows(database, resources);
  if (transitions > 0) await seedTransitions(database, resources, transitions);
  await database.query(`UPDATE "Counter" SET "value" = $1 WHERE "name" = 'change'`, [resources + transitions]);
  // Else a server would begin to clean up after so many rows in the middle of what is measured.
  for (const table of ["Resource", "Transition", "EdgeCount", "Dwell", "Pace"])
    await database.query(`VACUUM ANALYZE "${table}"`);
}

async function seedRows(database: Database, resources: number): Promise<void> {
  const templates = rowTemplates();
  await database.query(
    `INSERT INTO "Resource" ("id", "family", "kind", "namespace", "name", "uid", "generation", "resourceVersion", "state", "tone",
       "attention", "since", "lifecycles", "sentence", "reason", "labels", "commands", "known", "machines", "digest", "version", "seenAt")
     SELECT (t ->> 'kind') || '/ns-' || i % 40 || '/fleet-' || i, t ->> 'family', t ->> 'kind', 'ns-' || i % 40, 'fleet-' || i,
       gen_random_uuid()::text, 1, i::text, t ->> 'state', t ->> 'tone', (t ->> 'attention')::smallint,
       now() - i * interval '37 seconds', t -> 'lifecycles',
       'Building the next generation: its pods are not all ready yet (StatefulSet fleet-' || i || '-g4: ' || i % 3 || ' of 3 pods ready); then switching',
       'its pods are not all ready yet (StatefulSet fleet-' || i || '-g4: ' || i % 3 || ' of 3 pods ready)',
       jsonb_build_object('team', 't-' || i % 20, 'app', 'tea'), t -> 'commands',
       jsonb_build_object('phase', jsonb_build_object('facts', '{"podsReady": false}'::jsonb, 'evidence', '{}'::jsonb)), '{}',
       i::text, i, now()
     FROM generate_series(1, $1::int) i CROSS JOIN LATERAL (SELECT $2::jsonb -> (i % $3::int) AS t) template`,
    [resources, JSON.stringify(templates), templates.length],
  );
}

/** Indexes are made once the rows are there, which takes a third of the time. */
async function seedTransitions(database: Database, resources: number, transitions: number): Promise<void> {
  const indexes = await database.query<{ name: string; definition: string }>(
    `SELECT indexname AS "name", indexdef AS "definition" FROM pg_indexes
     WHERE tablename = 'Transition' AND indexname <> 'Transition_pkey'`,
  );
  for (const { name } of indexes) await database.query(`DROP INDEX "${name}"`);
  await database.query(
    `INSERT INTO "Transition" ("id", "resourceId", "uid", "kind", "lifecycle", "pass", "at", "machine", "from", "to", "event", "edge",
       "flipped", "facts", "evidence", "actions", "writes", "dwellMs")
     SELECT n, r."id", r."uid", r."kind", t."lifecycle", n::text, now() - ($1::int - n) * interval '1 second',
       t."machine", t."from", t."to", t."event", t."edge", '[]', t."facts", '{}', t."actions", '[]', n * 7919 % 100000
     FROM generate_series(0, $1::int / $2::int - 1) j CROSS JOIN "Resource" r
     CROSS JOIN LATERAL (SELECT j * $2::int + r."version" AS n) nth
     JOIN jsonb_to_recordset($3::jsonb) AS t("kind" text, "lifecycle" text, "machine" text, "from" text, "to" text, "event" text,
       "edge" text, "facts" jsonb, "actions" jsonb, "nth" int, "of" int) ON t."kind" = r."kind" AND t."nth" = j % t."of"`,
    [transitions, resources, JSON.stringify(transitionTemplates())],
  );
  for (const { definition } of indexes) await database.query(definition);
  await database.query(
    `INSERT INTO "EdgeCount" SELECT "machine", "kind", "lifecycle", "edge", min("from"), min("to"), count(*) FROM "Transition" GROUP BY 1, 2, 3, 4`,
  );
  await database.query(
    `INSERT INTO "Dwell" SELECT "kind", "lifecycle", "from", ("dwellMs" / 2000)::smallint, count(*) FROM "Transition" GROUP BY 1, 2, 3, 4`,
  );
  await database.query(
    `INSERT INTO "Pace" SELECT "kind", "lifecycle", date_trunc('hour', "at", 'UTC'), "edge", "from", "to", ("dwellMs" / 2000)::smallint, count(*)
     FROM "Transition" WHERE "at" > now() - interval '2 days' GROUP BY 1, 2, 3, 4, 5, 6, 7`,
  );
}
