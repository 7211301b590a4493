import { z } from "zod";
import type { Asked } from "./context";
import { mustRead } from "./get";
import { idOf, type Ref } from "./ref";

const moveSchema = z.object({ lifecycle: z.string(), from: z.string(), to: z.string(), count: z.int() });

export const digestSchema = z.object({
  total: z.int().describe("transitions that are kept, those that stay included"),
  stretches: z
    .array(
      z.object({
        from: z.iso.datetime(),
        until: z.iso.datetime(),
        count: z.int(),
        errors: z.int(),
        moves: z.array(moveSchema).describe("the most frequent first"),
        lastId: z.string().describe("of its newest transition"),
        firstId: z.string().describe("of its oldest transition"),
      }),
    )
    .describe("newest first"),
});
type Digest = z.infer<typeof digestSchema>;

const STRETCHES_MAX = 200;
const MOVES_MAX = 6;

type Counted = {
  stretch: number;
  from: string;
  to: string;
  lifecycle: string;
  count: number;
  errors: number;
  first: Date;
  last: Date;
  firstId: string;
  lastId: string;
};

/** A long history at a glance: by the hour, or by longer stretches where there would be too many; each with what moved in it. */
export async function digest(asked: Asked, ref: Ref): Promise<Digest> {
  await mustRead(asked, ref);
  const rows = await asked.database.query<Counted>(
    `WITH all_of AS (SELECT "id", "at", "lifecycle", "from", "to", "error" FROM "Transition" WHERE "resourceId" = $1),
       span AS (SELECT greatest(3600, ceil(extract(epoch FROM max("at") - min("at")) / $2)) AS seconds FROM all_of)
     SELECT floor(extract(epoch FROM "at") / seconds)::float8 AS "stretch", "lifecycle", "from", "to",
       count(*)::int AS "count", count("error")::int AS "errors", min("at") AS "first", max("at") AS "last",
       min("id")::text AS "firstId", max("id")::text AS "lastId"
     FROM all_of CROSS JOIN span GROUP BY 1, 2, 3, 4 ORDER BY 1 DESC, 5 DESC`,
    [idOf(ref), STRETCHES_MAX],
  );
  const stretches = [...new Set(rows.map(({ stretch }) => stretch))];
  return {
    total: sum(rows.map(({ count }) => count)),
    stretches: stretches.map((stretch) => stretchOf(rows.filter((row) => row.stretch === stretch))),
  };
}

function stretchOf(rows: readonly Counted[]): Digest["stretches"][number] {
  const ids = rows.flatMap(({ firstId, lastId }) => [BigInt(firstId), BigInt(lastId)]).sort((a, b) => (a < b ? -1 : 1));
  return {
    from: new Date(Math.min(...rows.map(({ first }) => first.getTime()))).toISOString(),
    until: new Date(Math.max(...rows.map(({ last }) => last.getTime()))).toISOString(),
    count: sum(rows.map(({ count }) => count)),
    errors: sum(rows.map(({ errors }) => errors)),
    moves: rows
      .filter(({ from, to }) => from !== to)
      .slice(0, MOVES_MAX)
      .map(({ lifecycle, from, to, count }) => ({ lifecycle, from, to, count })),
    firstId: String(ids[0] ?? ""),
    lastId: String(ids.at(-1) ?? ""),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
