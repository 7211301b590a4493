import { z } from "zod";
import { TRPCError, tracked } from "@trpc/server";
import { visibleTo } from "@/server/resources/access";
import type { Asked } from "@/server/resources/context";
import type { Visible } from "@/server/resources/page-filter";
import { countsSchema, type Counts, type Filter } from "@/server/resources/page-query";
import { rowSchema, type Row } from "@/server/resources/row";
import type { Change, Hub } from "./hub";
import { createMailbox } from "./mailbox";
import { createRecount } from "./recount";
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
    let checkedAt = clock.monotonic();
    const recount = createRecount({ asked, filter: input.filter, visible: () => visible, onCounted: mail.wake });
    let countsTold: Counts | null = null;
    while (!isOver()) {
      await mail.filled(signal, { clock, ms: RIGHTS_EVERY_MS });
      if (isOver()) break;
      if (clock.monotonic() - checkedAt >= RIGHTS_EVERY_MS) {
        visible = await visibleTo(asked, asked.identity);
        checkedAt = clock.monotonic();
      }
      const { values, counted: elsewhere } = mail.take();
      const recounted = recount.take();
      const counts: Counts | null = recounted === countsTold ? null : recounted;
      countsTold = counts ?? countsTold;
      const isNews = values.size > 0 || elsewhere > 0;
      // Rows do not wait for the counts that they change: these follow.
      if (isNews) recount.ask();
      if (!isNews && !counts) continue;
      version = newest;
      const about = { counts, elsewhere, version: version.toString(), staleMs: asked.hub.staleMs() };
      yield tracked(version.toString(), toldAlike(asked.hub, delta({ ...split(values), ...about })));
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

const ALIKE_MAX = 16;
const toldLately = new WeakMap<Hub, Delta[]>();

/** Streams that show the same get the very same delta: checking it and making text of it are then done once for all. */
function toldAlike(hub: Hub, made: Delta): Delta {
  const lately = toldLately.get(hub) ?? [];
  const found = lately.find((told) => isAlike(told, made));
  if (!found) toldLately.set(hub, [made, ...lately.slice(0, ALIKE_MAX - 1)]);
  return found ?? made;
}

/** Rows and counts are shared by all streams, so those that are equal are the same object. */
function isAlike(a: Delta, b: Delta): boolean {
  if (a.version !== b.version || a.elsewhere !== b.elsewhere || a.staleMs !== b.staleMs || a.counts !== b.counts)
    return false;
  return hasSame(a.rows, b.rows) && hasSame(a.gone, b.gone);
}

function hasSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}
