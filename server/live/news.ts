import { z } from "zod";
import { iso, rowSchema } from "@/server/resources/row";
import type { NewRow } from "@/server/history/row-entry";

/** Where a worker tells every web process of what it has written. */
export const CHANNEL = "orrery_changes";

/** A notification holds less than 8,000 bytes. What does not fit is read from the database. */
const BYTES_MAX = 7_900;

const newsSchema = z.object({
  after: z.string(),
  upTo: z.string(),
  rows: z.array(rowSchema),
  gone: z.array(z.object({ id: z.string(), version: z.string() })),
});

/** One batch: everything that changed between two numbers of the order of all changes. */
export type News = z.infer<typeof newsSchema>;

export type Written = {
  after: bigint;
  upTo: bigint;
  rows: readonly (NewRow & { version: string })[];
  gone: readonly { id: string; version: string }[];
};

/** As a notification carries it; empty when it cannot. */
export function textOfNews({ after, upTo, rows, gone }: Written): string {
  const news = newsSchema.safeParse({
    after: after.toString(),
    upTo: upTo.toString(),
    rows: rows.map((row) => ({ ...row, since: asStored(row.since), looksAgainAt: asStored(row.looksAgainAt) })),
    gone,
  });
  const text = news.success ? JSON.stringify(news.data) : "";
  return Buffer.byteLength(text) > BYTES_MAX ? "" : text;
}

export function newsIn(text: string): News | null {
  try {
    return newsSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** A time as the database gives it back. */
function asStored(time: string | null): string | null {
  return time === null ? null : iso(new Date(time));
}
