import { quantileMs } from "@/server/history/dwell";
import type { FlowAnswer } from "./machine-answers";
import { kindOf, type Asked } from "./context";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Input = { kind: string; lifecycle: string };
type Edge = { edge: string; from: string; to: string };
type Paced = Edge & { bucket: number; count: number };
type Counted = Edge & { count: number };

/** How the fleet moved through a machine: each edge and each state, how often in the last hour and day, and after how long. */
export async function flow(asked: Asked, { kind, lifecycle }: Input): Promise<FlowAnswer> {
  kindOf(asked, kind);
  const now = asked.clock.now();
  const [paced, lately] = await Promise.all([
    asked.database.query<Paced>(
      `SELECT "edge", "from", "to", "bucket", sum("count")::float8 AS "count" FROM "Pace"
       WHERE "kind" = $1 AND "lifecycle" = $2 AND "hour" > $3 GROUP BY 1, 2, 3, 4 ORDER BY "bucket"`,
      [kind, lifecycle, new Date(now - DAY_MS)],
    ),
    asked.database.query<Counted>(
      `SELECT coalesce("edge", '') AS "edge", "from", "to", count(*)::int AS "count" FROM "Transition"
       WHERE "kind" = $1 AND "lifecycle" = $2 AND "at" > $3 GROUP BY 1, 2, 3`,
      [kind, lifecycle, new Date(now - HOUR_MS)],
    ),
  ]);
  const hours = new Map(lately.map((row) => [keyOf(row), row.count]));
  const edges = [...grouped(paced)].map(([key, rows]) => edgeOf(rows, hours.get(key) ?? 0));
  return { edges, states: statesOf(edges) };
}

const keyOf = ({ edge, from, to }: Edge) => JSON.stringify([edge, from, to]);

function grouped(rows: readonly Paced[]): Map<string, [Paced, ...Paced[]]> {
  const groups = new Map<string, [Paced, ...Paced[]]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

function edgeOf(rows: [Paced, ...Paced[]], hour: number): FlowAnswer["edges"][number] {
  const { edge, from, to } = rows[0];
  const known = rows.filter(({ bucket }) => bucket >= 0);
  const stayOf = (part: number) => (known.length > 0 ? quantileMs(known, part) : null);
  const day = rows.reduce((sum, { count }) => sum + count, 0);
  return { edge: edge || null, from, to, hour, day, p50Ms: stayOf(0.5), p95Ms: stayOf(0.95) };
}

function statesOf(edges: FlowAnswer["edges"]): FlowAnswer["states"] {
  const states = new Map<string, { enteredHour: number; enteredDay: number }>();
  for (const { from, to, hour, day } of edges.filter((edge) => edge.from !== edge.to)) {
    const sum = states.get(to) ?? { enteredHour: 0, enteredDay: 0 };
    states.set(to, { enteredHour: sum.enteredHour + hour, enteredDay: sum.enteredDay + day });
    if (!states.has(from)) states.set(from, { enteredHour: 0, enteredDay: 0 });
  }
  return [...states].map(([state, sums]) => ({ state, ...sums }));
}
