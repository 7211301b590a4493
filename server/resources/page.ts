import type { Database } from "@/server/db/database";
import { cursorOf, orderOf, valuesOf } from "./page-cursor";
import { baseCondition, parameters, stateCondition, type Visible } from "./page-filter";
import type { Counts, Filter, Page, PageQuery } from "./page-query";
import { rowColumns, rowOf, type Row, type StoredRow } from "./row";

/** One page of the fleet with the counts of all that it is a page of: one statement, so that they agree. */
export async function page(database: Database, query: PageQuery, visible: Visible): Promise<Page> {
  const params = parameters();
  const order = orderOf(query);
  const after = valuesOf(query);
  const compare = query.direction === "asc" ? ">" : "<";
  const keyset = after
    ? `(${order.join(", ")}) ${compare} (${after.map((value) => params.add(value) + castOf(value)).join(", ")})`
    : "true";
  const [answer] = await database.query<PageAnswer>(
    `WITH ${countedFrom(query, visible, params)}, page AS (
       SELECT "id", jsonb_build_array(${order.join(", ")}) AS "key", row_number() OVER (ORDER BY ${ordered(order, query)}) AS "at"
       FROM matched WHERE ${keyset} ORDER BY ${ordered(order, query)} LIMIT ${params.add(query.limit + 1)}
     )
     SELECT ${countColumns},
       (SELECT coalesce(jsonb_agg(jsonb_build_object('row', to_jsonb(r), 'key', page."key") ORDER BY page."at"), '[]')
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

/** The counts alone, for those who have the rows. */
export async function counts(
  database: Database,
  filter: Filter,
  visible: Visible,
): Promise<{ counts: Counts; version: string }> {
  const params = parameters();
  const [answer] = await database.query<CountAnswer>(
    `WITH ${countedFrom(filter, visible, params)} SELECT ${countColumns}`,
    params.values,
  );
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

/** Rows that stand alike are counted once, as a group: a fleet of any size stands in few ways. */
function countedFrom(filter: Filter, visible: Visible, params: ReturnType<typeof parameters>): string {
  const inState = stateCondition(filter, params);
  return `base AS MATERIALIZED (
      SELECT "id", "kind", "namespace", "name", "state", "tone", "attention", "since", "standing"
      FROM "Resource" WHERE ${baseCondition(filter, visible, params)}
    ), matched AS (SELECT * FROM base WHERE ${inState}), alike AS MATERIALIZED (
      SELECT "kind", "namespace", "state", "tone", "standing", count(*)::int AS "size" FROM base GROUP BY 1, 2, 3, 4, 5
    ), total AS (SELECT coalesce(sum("size"), 0)::int AS "total" FROM alike WHERE ${inState})`;
}

const countColumns = `
  (SELECT "value"::text FROM "Counter" WHERE "name" = 'change') AS "version",
  (SELECT "total" FROM total) AS "total",
  (SELECT jsonb_object_agg("tone", n) FROM (SELECT "tone", sum("size") n FROM alike GROUP BY 1) t) AS "tones",
  (SELECT jsonb_object_agg("kind", n) FROM (SELECT "kind", sum("size") n FROM alike GROUP BY 1) k) AS "kinds",
  (SELECT jsonb_object_agg("namespace", n)
   FROM (SELECT "namespace", sum("size") n FROM alike GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 100) s) AS "namespaces",
  (SELECT jsonb_agg(l ORDER BY l."kind", l."lifecycle", l."state") FROM (
     SELECT "kind", e.key AS "lifecycle", e.value ->> 'state' AS "state", max(e.value ->> 'tone') AS "tone", sum("size") AS "count"
     FROM alike CROSS JOIN LATERAL jsonb_each("standing") e GROUP BY 1, 2, 3) l) AS "states"`;

function countsOf({ total, tones, kinds, namespaces, states }: CountAnswer): Counts {
  return { total, tones: tones ?? {}, kinds: kinds ?? {}, namespaces: namespaces ?? {}, states: states ?? [] };
}

function parsedRow(row: JsonRow): Row {
  const stored: StoredRow = { ...row, since: dateOf(row.since), looksAgainAt: dateOf(row.looksAgainAt) };
  return rowOf(stored);
}

function ordered(order: string[], { direction }: PageQuery): string {
  return order.map((expression) => `${expression} ${direction}`).join(", ");
}

function castOf(value: string | number): string {
  return typeof value === "number" ? "::float8" : `::text COLLATE "C"`;
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
