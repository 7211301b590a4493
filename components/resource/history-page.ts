import type { ResourceRef } from "../paths";

/** How history is asked for, by the server for the first paint and by the page from then on. */
export function historyPage(ref: ResourceRef) {
  return [
    { ...ref, limit: 100 },
    { getNextPageParam: ({ nextCursor }: { nextCursor: string | null }) => nextCursor ?? undefined },
  ] as const;
}
