import type { TransitionAnswer } from "./history-answers";
import type { Asked } from "./context";
import { mustRead } from "./get";
import { cursorNumber } from "./number-cursor";
import { idOf, type Ref } from "./ref";

export type HistoryQuery = { cursor?: string | undefined; limit: number; movesOnly: boolean };

/** What happened to a resource, newest first, with its causes. */
export async function history(asked: Asked, ref: Ref, { cursor, limit, movesOnly }: HistoryQuery) {
  await mustRead(asked, ref);
  const rows = await asked.database.query<StoredTransition>(
    `SELECT ${transitionColumns} FROM "Transition"
     WHERE "resourceId" = $1 AND "id" < $2 AND ($3 OR "from" <> "to") ORDER BY "Transition"."id" DESC LIMIT $4`,
    [idOf(ref), cursorNumber(cursor), !movesOnly, limit + 1],
  );
  const shown = rows.slice(0, limit);
  return {
    transitions: shown.map(transitionOf),
    nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
  };
}

export const transitionColumns = `"id"::text AS "id", "lifecycle", "at", "machine", "from", "to", "event", "edge", "guard",
  "flipped", "facts", "evidence", "actions", "writes", "actor", "commandId", "error", "dwellMs"::float8 AS "dwellMs", "droppedBefore"`;

export type StoredTransition = Omit<TransitionAnswer, "at"> & { at: Date };

export function transitionOf(stored: StoredTransition): TransitionAnswer {
  return { ...stored, at: stored.at.toISOString() };
}
