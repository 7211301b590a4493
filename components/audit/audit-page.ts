/** How the audit log is asked for, by the server for the first paint and by the page from then on. */
export const auditPage = [
  { limit: 50 },
  { getNextPageParam: ({ nextCursor }: { nextCursor: string | null }) => nextCursor ?? undefined },
] as const;
