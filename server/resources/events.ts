import type { z } from "zod";
import type { eventSchema } from "./history-answers";
import type { Asked } from "./context";
import { mustRead } from "./get";
import { idOf, type Ref } from "./ref";
import { Refused } from "./refusal";

type EventAnswer = z.infer<typeof eventSchema>;
type StoredEvent = Omit<EventAnswer, "firstSeen" | "lastSeen"> & { firstSeen: Date; lastSeen: Date };

/** Warning events of a resource and of what it owns, newest first, also those that the API server has forgotten. */
export async function events(
  asked: Asked,
  ref: Ref,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
) {
  await mustRead(asked, ref);
  const [at, id] = cursor === undefined ? ["infinity", ""] : positionOf(cursor);
  const rows = await asked.database.query<StoredEvent>(
    `SELECT "id", "object", "reason", "message", "count", "firstSeen", "lastSeen", "source" FROM "WarningEvent"
     WHERE "resourceId" = $1 AND ("lastSeen", "id") < ($2::timestamptz, $3) ORDER BY "lastSeen" DESC, "id" DESC LIMIT $4`,
    [idOf(ref), at, id, limit + 1],
  );
  const shown = rows.slice(0, limit).map((row) => ({
    ...row,
    firstSeen: row.firstSeen.toISOString(),
    lastSeen: row.lastSeen.toISOString(),
  }));
  const last = shown.at(-1);
  return { events: shown, nextCursor: rows.length > limit && last ? `${last.lastSeen}/${last.id}` : null };
}

function positionOf(cursor: string): [string, string] {
  const [at = "", id = ""] = cursor.split("/", 2);
  if (Number.isNaN(Date.parse(at)) || !/^\d{4}-/.test(at))
    throw new Refused("invalid", "The cursor is not one of this list.");
  return [new Date(at).toISOString(), id];
}
