import type { PageQuery } from "@/server/resources/page-query";

type Query = Partial<PageQuery> & { limit: number };

/** What is wrong or has been waiting in vain. */
export const attentionQuery: Query = { tones: ["bad", "warn"], sort: "attention", limit: 12 };

/** What is on its way: those that take longer than usual want attention, too. */
export const underWayQuery: Query = { tones: ["busy"], sort: "since", direction: "asc", limit: 50 };

export const latelyQuery = { limit: 8 };
