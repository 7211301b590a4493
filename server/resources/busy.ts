import type { Context } from "./context";
import type { Refusal } from "./refusal";

/** A command that has not answered for so long belongs to a process that died. */
const FORGOTTEN_AFTER_MS = 30_000;

/**
 * One command at a time per resource: says which one is under way. `mine` gives way only to those that were asked before
 * it: of two at once one is carried out.
 */
export async function busyWith(
  { database, clock }: Pick<Context, "database" | "clock">,
  id: string,
  mine?: string,
): Promise<Refusal | null> {
  const [running] = await database.query<{ command: string; actor: string; at: Date }>(
    `SELECT "command", "actor", "at" FROM "Command"
     WHERE "resourceId" = $1 AND "outcome" = 'running' AND "at" > $2
       AND ($3::text IS NULL OR "order" < (SELECT "order" FROM "Command" WHERE "id" = $3)) ORDER BY "order" LIMIT 1`,
    [id, new Date(clock.now() - FORGOTTEN_AFTER_MS), mine ?? null],
  );
  if (!running) return null;
  const sentence = `${running.command}, asked for by ${running.actor}, is under way; try again in a moment.`;
  return { code: "busy", sentence, reason: running.command };
}
