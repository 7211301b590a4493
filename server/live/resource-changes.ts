import { z } from "zod";
import { TRPCError, tracked } from "@trpc/server";
import { mustRead } from "@/server/resources/get";
import type { Asked } from "@/server/resources/context";
import { idOf, type Ref } from "@/server/resources/ref";
import { rowSchema, type Row } from "@/server/resources/row";
import { createMailbox } from "./mailbox";
import { untilExpired } from "./until-expired";

export const resourceNewsSchema = z.object({
  row: rowSchema.nullable().describe("null: gone"),
  version: z.string(),
});

/** Every change of one resource, the newest state first; what was missed over a break is told once. */
export async function* resourceChanges(
  asked: Asked,
  ref: Ref,
  lastEventId: string | null | undefined,
  outer: AbortSignal,
) {
  await mustRead(asked, ref);
  const { signal, end } = untilExpired(asked, outer);
  const id = idOf(ref);
  const isOver = () => signal.aborted;
  const mail = createMailbox<{ row: Row | null; version: bigint }>();
  let version = lastEventId && /^\d{1,18}$/.test(lastEventId) ? BigInt(lastEventId) : 0n;
  const unsubscribe = asked.hub.subscribe((changes) => {
    for (const change of changes) if (change.id === id) mail.put(id, change);
  });
  try {
    const [missed] = await asked.database.query<{ version: string }>(
      `SELECT "version"::text AS "version" FROM "Resource" WHERE "id" = $1 AND "version" > $2`,
      [id, version.toString()],
    );
    const past = missed ? await asked.hub.changesSince(BigInt(missed.version) - 1n) : [];
    for (const change of past ?? []) if (change.id === id) mail.put(id, change);
    while (!isOver()) {
      await mail.filled(signal);
      if (isOver()) break;
      const news = mail.take().values.get(id);
      if (!news || news.version <= version) continue;
      version = news.version;
      // The right to look may have been taken away since; cached, so this is cheap.
      await mustRead(asked, ref);
      yield tracked(version.toString(), { row: news.row, version: version.toString() });
    }
    if (!outer.aborted) throw new TRPCError({ code: "UNAUTHORIZED", message: "The session has ended: sign in again." });
  } finally {
    end();
    unsubscribe();
  }
}
