import type { FlowAnswer } from "./machine-answers";
import { kindOf, type Asked } from "./context";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The newest of a day's transitions; more of them would say the same. */
const SAMPLE = 20_000;

type Input = { kind: string; lifecycle: string };
type Counted = {
  edge: string;
  from: string;
  to: string;
  hour: number;
  day: number;
  p50Ms: number | null;
  p95Ms: number | null;
};

/** How the fleet moved through a machine in the last day: each edge and each state, how often and after how long. */
export async function flow(asked: Asked, { kind, lifecycle }: Input): Promise<FlowAnswer> {
  kindOf(asked, kind);
  const now = asked.clock.now();
  const rows = await asked.database.query<Counted>(
    `SELECT coalesce("edge", '') AS "edge", "from", "to", count(*) FILTER (WHERE "at" > $4)::int AS "hour", count(*)::int AS "day",
       percentile_cont(0.5) WITHIN GROUP (ORDER BY "dwellMs") AS "p50Ms",
       percentile_cont(0.95) WITHIN GROUP (ORDER BY "dwellMs") AS "p95Ms"
     FROM (SELECT "edge", "from", "to", "at", "dwellMs" FROM "Transition"
       WHERE "kind" = $1 AND "lifecycle" = $2 AND "at" > $3 ORDER BY "at" DESC LIMIT ${SAMPLE}) recent
     GROUP BY 1, 2, 3`,
    [kind, lifecycle, new Date(now - DAY_MS), new Date(now - HOUR_MS)],
  );
  const states = new Map<string, { enteredHour: number; enteredDay: number }>();
  for (const { from, to, hour, day } of rows.filter((row) => row.from !== row.to)) {
    const sum = states.get(to) ?? { enteredHour: 0, enteredDay: 0 };
    states.set(to, { enteredHour: sum.enteredHour + hour, enteredDay: sum.enteredDay + day });
    if (!states.has(from)) states.set(from, { enteredHour: 0, enteredDay: 0 });
  }
  return {
    edges: rows.map(({ edge, from, to, hour, day, p50Ms, p95Ms }) => ({
      edge: edge || null,
      from,
      to,
      hour,
      day,
      p50Ms,
      p95Ms,
    })),
    states: [...states].map(([state, sums]) => ({ state, ...sums })),
  };
}
