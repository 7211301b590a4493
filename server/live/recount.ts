import type { Asked } from "@/server/resources/context";
import type { Visible } from "@/server/resources/page-filter";
import type { Counts, Filter } from "@/server/resources/page-query";
import { sharedCounts } from "./shared-counts";

type Options = { asked: Asked; filter: Filter; visible: () => Visible; onCounted: () => void };

/** The counts of one stream: asked for at any news, counted again while there is more, taken when they are there. */
export function createRecount({ asked, filter, visible, onCounted }: Options) {
  let result: { counts: Counts } | { failure: unknown } | null = null;
  let counting = false;
  let isOwed = false;
  const ask = () => {
    isOwed = true;
    if (!counting) void count();
  };
  const count = async () => {
    counting = true;
    while (isOwed) {
      isOwed = false;
      result = await sharedCounts(asked, filter, visible()).then(
        (counts) => ({ counts }),
        (failure: unknown) => ({ failure }),
      );
      onCounted();
    }
    counting = false;
  };
  return {
    ask,
    /** null: none are there. Throws what the counting failed with. */
    take: (): Counts | null => {
      const taken = result;
      result = null;
      if (taken && "failure" in taken) throw taken.failure;
      return taken?.counts ?? null;
    },
  };
}
