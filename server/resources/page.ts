import type { Database } from "@/server/db/database";
import { cursorOf, orderOf, valuesOf } from "./page-cursor";
import {
  baseCondition,
  groupCondition,
  parameters,
  stateCondition,
  type Parameters,
  type Visible,
} from "./page-filter";
import type { Counts, Filter, Page, PageQuery } from "./page-query";
import { rowColumns, rowOf, type Row, type StoredRow } from "./row";

/** One page of the fleet with the counts of all that it is a page of: one statement, so that they agree. */
export async function page(database: Database, query: PageQuery, visible: Visible): Promise<Page> {
  const params = parameters();
  const order = orderOf(query);
  const after = valuesOf(query);
  const compare = query.direction === "asc" ? ">" : "<";
  const keys = order.map((_, at) => `"key${at}"`);
  const keyset = after
    ? `(${keys.join(", ")}) ${compare} (${after.map((value) => params.add(value) + castOf(value)).join(", ")})`
    : "true";
  const ordered = keys.map((key) => `${key} ${query.direction}`).join(", ");
  const [answer] = await database.query<PageAnswer>(
    `WITH ${countedFrom(query, visible, params, order)}, page AS (
       SELECT "id", ${keys.join(", ")} FROM base WHERE "matches" AND ${keyset}
       ORDER BY ${ordered} LIMIT ${params.add(query.limit + 1)}
     )
     SELECT ${countColumns},
       (SELECT coalesce(jsonb_agg(jsonb_build_object('row', to_jsonb(r), 'key', jsonb_build_array(${keys.join(", ")})) ORDER BY ${ordered}), '[]')
        FROM page CROSS JOIN LATERAL (SELECT ${rowColumns} FROM "Resource" WHERE "Resource"."id" = page."id") r) AS "rows"`,
    params.values,
  );
  if (!answer) throw new Error("A statement without FROM gives one row.");
  const shown = answer.rows.slice(0, query.limit);
  const last = shown.at(-1);
  return {
    rows: shown.map(({ row }) => parsedRow(row)),
    nextCursor: answer.rows.length > query.limit && last ? cursorOf(query, last.key) : null,
    counts: countsOf(answer),
    hidden: Object.keys(visible).filter((kind) => visible[kind] !== "everywhere"),
    version: answer.version,
  };
}

/** The counts alone, for those who have the rows. Only what a row has of its own needs the rows to be read. */
export async function counts(
  database: Database,
  filter: Filter,
  visible: Visible,
): Promise<{ counts: Counts; version: string }> {
  const params = parameters();
  const needsRows = filter.labels !== undefined || Boolean(filter.text);
  const groups = needsRows ? countedFrom(filter, visible, params) : keptCounts(filter, visible, params);
  const [answer] = await database.query<CountAnswer>(`WITH ${groups} SELECT ${countColumns}`, params.values);
  if (!answer) throw new Error("A statement without FROM gives one row.");
  return { counts: countsOf(answer), version: answer.version };
}

type CountAnswer = {
  version: string;
  total: number;
  tones: Counts["tones"] | null;
  kinds: Counts["kinds"] | null;
  namespaces: Counts["namespaces"] | null;
  states: Counts["states"] | null;
};
type PageAnswer = CountAnswer & { rows: { row: JsonRow; key: unknown[] }[] };
/** A row inside JSON: its times are text. */
type JsonRow = Omit<Row, "since" | "looksAgainAt"> & { since: string | null; looksAgainAt: string | null };

/**
 * Rows that stand alike are counted once, as a group: a fleet of any size stands in few ways. The scan of the fleet keeps
 * no more of a row than its group, its place in the order and where to find it.
 */
function countedFrom(filter: Filter, visible: Visible, params: Parameters, order: readonly string[] = []): string {
  const keys = order.map((expression, at) => `, ${expression} AS "key${at}"`);
  return `base AS MATERIALIZED (
      SELECT "id", "version", "alike", ${stateCondition(filter, params)} AS "matches"${keys.join("")}
      FROM "Resource" WHERE ${baseCondition(filter, visible, params)}
    ), alike AS MATERIALIZED (
      SELECT "size", "matches", one.* FROM (
        SELECT count(*)::int AS "size", bool_or("matches") AS "matches", min("version") AS "version" FROM base GROUP BY "alike"
      ) sized CROSS JOIN LATERAL (
        SELECT "kind", "namespace", "tone", "lifecycles" FROM "Resource" WHERE "Resource"."version" = sized."version" LIMIT 1
      ) one
    )`;
}

/** The same groups, as the database keeps them with every write. */
function keptCounts(filter: Filter, visible: Visible, params: Parameters): string {
  return `alike AS MATERIALIZED (
      SELECT "size", ${stateCondition(filter, params)} AS "matches", "kind", "namespace", "tone", "lifecycles"
      FROM "Standing" WHERE ${groupCondition(filter, visible, params)}
    )`;
}

const countColumns = `
  (SELECT "value"::text FROM "Counter" WHERE "name" = 'change') AS "version",
  (SELECT coalesce(sum("size"), 0)::int FROM alike WHERE "matches") AS "total",
  (SELECT jsonb_object_agg("tone", n) FROM (SELECT "tone", sum("size") n FROM alike GROUP BY 1) t) AS "tones",
  (SELECT jsonb_object_agg("kind", n) FROM (SELECT "kind", sum("size") n FROM alike GROUP BY 1) k) AS "kinds",
  (SELECT jsonb_object_agg("namespace", n)
   FROM (SELECT "namespace", sum("size") n FROM alike GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 100) s) AS "namespaces",
  (SELECT jsonb_agg(l ORDER BY l."kind", l."lifecycle", l."state") FROM (
     SELECT "kind", e.key AS "lifecycle", e.value ->> 'state' AS "state", max(e.value ->> 'tone') AS "tone", sum("size") AS "count"
     FROM alike CROSS JOIN LATERAL jsonb_each("lifecycles") e GROUP BY 1, 2, 3) l) AS "states"`;

function countsOf({ total, tones, kinds, namespaces, states }: CountAnswer): Counts {
  return { total, tones: tones ?? {}, kinds: kinds ?? {}, namespaces: namespaces ?? {}, states: states ?? [] };
}

function parsedRow(row: JsonRow): Row {
  const stored: StoredRow = { ...row, since: dateOf(row.since), looksAgainAt: dateOf(row.looksAgainAt) };
  return rowOf(stored);
}

function castOf(value: string | number): string {
  return typeof value === "number" ? "::float8" : `::text COLLATE "C"`;
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
