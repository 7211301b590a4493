import { isDeepStrictEqual } from "node:util";
import type { Asked } from "@/server/resources/context";
import { counts } from "@/server/resources/page";
import type { Visible } from "@/server/resources/page-filter";
import type { Counts, Filter } from "@/server/resources/page-query";

/** Counts cost a query over the fleet; rows do not. */
const EVERY_MS = 500;
const KEPT_MAX = 50;

type Kept = { counted: Promise<Counts>; version: bigint; beganAt: number; next: Promise<Counts> | null };

const keptBy = new WeakMap<object, Map<string, Kept>>();

/**
 * Counts that hold everything that the hub has told of by now. However many ask for the same filter with the same
 * rights, the fleet is counted once, and not again before the interval has passed. Equal counts are the same object.
 */
export function sharedCounts({ database, hub, clock }: Asked, filter: Filter, visible: Visible): Promise<Counts> {
  const all = keptBy.get(database) ?? new Map<string, Kept>();
  keptBy.set(database, all);
  const key = JSON.stringify([filter, visible]);
  const kept = all.get(key);
  if (kept?.version === hub.version()) return kept.counted;
  if (kept?.next) return kept.next;

  const count = (): Promise<Counts> => {
    // What failed leaves nothing to compare with.
    const lastCounts = kept?.counted.catch(() => null);
    const [version, beganAt] = [hub.version(), clock.monotonic()];
    const counted = Promise.all([counts(database, filter, visible), lastCounts]).then(([{ counts: now }, before]) =>
      before && isDeepStrictEqual(now, before) ? before : now,
    );
    // Put last, so that the first is the one that was not counted for the longest time.
    all.delete(key);
    all.set(key, { counted, version, beganAt, next: null });
    for (const oldest of [...all.keys()].slice(0, -KEPT_MAX)) all.delete(oldest);
    counted.catch(() => all.delete(key));
    return counted;
  };
  if (!kept) return count();
  return (kept.next = clock.sleep(Math.max(0, kept.beganAt + EVERY_MS - clock.monotonic())).then(count));
}
