"use client";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ResourceRef } from "../paths";
import { useTRPC } from "../trpc";
import { historyPage } from "./history-page";

/** What happened, newest first, as far back as somebody asked for. */
export function useHistory(ref: ResourceRef) {
  const query = useInfiniteQuery(useTRPC().resource.history.infiniteQueryOptions(...historyPage(ref)));
  return { query, transitions: query.data?.pages.flatMap((page) => page.transitions) ?? [] };
}

export type History = ReturnType<typeof useHistory>;
