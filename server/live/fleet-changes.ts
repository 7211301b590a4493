import { z } from "zod";
import { TRPCError, tracked } from "@trpc/server";
import { visibleTo } from "@/server/resources/access";
import type { Asked } from "@/server/resources/context";
import { counts } from "@/server/resources/page";
import type { Visible } from "@/server/resources/page-filter";
import { countsSchema, type Counts, type Filter } from "@/server/resources/page-query";
import { rowSchema, type Row } from "@/server/resources/row";
import type { Change } from "./hub";
import { createMailbox } from "./mailbox";
import { untilExpired } from "./until-expired";

export const deltaSchema = z.object({
  rows: z.array(rowSchema).describe("of the rows asked for, those that changed"),
  gone: z.array(z.string()).describe("ids of the rows asked for that are no more"),
  elsewhere: z.int().describe("changes to rows that were not asked for"),
  counts: countsSchema.nullable().describe("of the filter, when they changed"),
  reset: z.boolean().describe("too much was missed: read the page again"),
  version: z.string(),
  staleMs: z.number().describe("how long the database has not answered"),
});
export type Delta = z.infer<typeof deltaSchema>;

export type ChangesInput = { filter: Filter; ids: string[]; lastEventId?: string | null | undefined };

/** Counts cost a query over the fleet; rows do not. */
const COUNTS_EVERY_MS = 500;
const RIGHTS_EVERY_MS = 15_000;

/** What changes in the fleet, for one page of it: each change of a row once, however often the stream was broken. */
export async function* fleetChanges(asked: Asked, input: ChangesInput, outer: AbortSignal) {
  const { signal, end } = untilExpired(asked, outer);
  const isOver = () => signal.aborted;
  const mail = createMailbox<Row | null>();
  const ids = new Set(input.ids);
  let visible = await visibleTo(asked, asked.identity);
  let version = startOf(input.lastEventId) ?? asked.hub.version();
  const accept = (changes: readonly Change[]) => {
    for (const change of changes) {
      if (change.version <= version || !isVisible(visible, change)) continue;
      if (ids.has(change.id)) mail.put(change.id, change.row);
      else mail.count();
      newest = change.version > newest ? change.version : newest;
    }
  };
  let newest = version;
  const held: Change[] = [];
  let catchingUp = true;
  // Subscribed before the past is read, and held back until it is: nothing falls between, nothing comes twice.
  const unsubscribe = asked.hub.subscribe((changes) => (catchingUp ? void held.push(...changes) : accept(changes)));
  try {
    const missed = await asked.hub.changesSince(version);
    if (missed === null) {
      newest = asked.hub.version();
      yield tracked(newest.toString(), delta({ reset: true, version: newest.toString() }));
    } else accept(missed);
    version = newest;
    catchingUp = false;
    accept(held.splice(0));
    const clock = asked.clock;
    let countedAt = -Infinity;
    let checkedAt = clock.monotonic();
    const owed = { counts: false };
    /** What came since the last delta, with the counts if there are any; null when there is nothing to tell. */
    const news = (counts: Counts | null = null) => {
      const { values, counted } = mail.take();
      const isNews = values.size > 0 || counted > 0;
      owed.counts ||= isNews;
      version = newest;
      const about = { counts, elsewhere: counted, version: version.toString(), staleMs: asked.hub.staleMs() };
      return isNews || counts ? tracked(version.toString(), delta({ ...split(values), ...about })) : null;
    };
    while (!isOver()) {
      const waitMs = owed.counts ? Math.max(0, countedAt + COUNTS_EVERY_MS - clock.monotonic()) : RIGHTS_EVERY_MS;
      await mail.filled(signal, { clock, ms: waitMs });
      if (isOver()) break;
      if (clock.monotonic() - checkedAt >= RIGHTS_EVERY_MS) {
        visible = await visibleTo(asked, asked.identity);
        checkedAt = clock.monotonic();
      }
      // Rows first: they are here already, and counts take a query over the fleet.
      const first = news();
      if (first) yield first;
      if (!owed.counts || clock.monotonic() - countedAt < COUNTS_EVERY_MS) continue;
      owed.counts = false;
      const counted = await sharedCounts(asked, input.filter, visible);
      countedAt = clock.monotonic();
      const second = isOver() ? null : news(counted);
      if (second) yield second;
    }
    if (!outer.aborted) throw new TRPCError({ code: "UNAUTHORIZED", message: "The session has ended: sign in again." });
  } finally {
    end();
    unsubscribe();
  }
}

function startOf(lastEventId: string | null | undefined): bigint | null {
  return lastEventId && /^\d{1,18}$/.test(lastEventId) ? BigInt(lastEventId) : null;
}

function isVisible(visible: Visible, { kind, namespace }: Change): boolean {
  const where = visible[kind];
  return where === "everywhere" || (where?.includes(namespace) ?? false);
}

function split(values: Map<string, Row | null>): Pick<Delta, "rows" | "gone"> {
  const rows = [...values.values()].filter((row) => row !== null);
  return { rows, gone: [...values].filter(([, row]) => row === null).map(([id]) => id) };
}

function delta(parts: Partial<Delta> & { version: string }): Delta {
  return { rows: [], gone: [], elsewhere: 0, counts: null, reset: false, staleMs: 0, ...parts };
}

/** Subscribers with the same filter and the same rights share one count per version. */
const shared = new WeakMap<object, Map<string, Promise<Counts>>>();

function sharedCounts({ database, hub }: Asked, filter: Filter, visible: Visible): Promise<Counts> {
  const kept = shared.get(database) ?? new Map<string, Promise<Counts>>();
  shared.set(database, kept);
  const key = JSON.stringify([hub.version().toString(), filter, visible]);
  const found = kept.get(key) ?? counts(database, filter, visible).then((answer) => answer.counts);
  kept.delete(key);
  kept.set(key, found);
  const oldest = kept.keys().next();
  if (kept.size > 50 && !oldest.done) kept.delete(oldest.value);
  return found;
}
