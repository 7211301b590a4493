"use client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { usePathname, useSearchParams } from "next/navigation";
import { useLiveRows } from "../live/live";
import { useTRPC, useTRPCClient } from "../trpc";
import { matches, paramsOf } from "./list-params";
import { listQuery } from "./list-query";

const first: string | null = null;

/** The rows of a list as the address asks for them, page by page, with the counts of all that match. */
export function useList(kind: string | null) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const search = useSearchParams();
  const path = usePathname();
  const params = paramsOf(search, kind);
  const { input, key } = listQuery(params);
  // Not by tRPC's own infinite query: that would send a `direction` of its own in place of ours.
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      client.fleet.page.query({ ...input, ...(pageParam !== null && { cursor: pageParam }) }, { signal }),
    initialPageParam: first,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  // The first page came with its counts; they are asked for again when something has changed since.
  const fresh = useQuery({
    ...trpc.fleet.page.queryOptions({ ...params.filter, limit: 1 }),
    meta: { counts: true },
    initialData: query.data?.pages[0],
    enabled: query.isSuccess,
  });
  const rows = (query.data?.pages ?? []).flatMap((page) => page.rows);
  useLiveRows(
    "list",
    rows.slice(-200).map(({ id }) => id),
  );
  const shown = rows.map((row) => ({ row, isGone: !matches(params, row) }));
  return {
    query,
    params,
    search,
    rows: shown,
    counts: fresh.data?.counts ?? query.data?.pages[0]?.counts,
    hidden: query.data?.pages[0]?.hidden ?? [],
    // The address alone: the rows are asked for by the page itself, not once more by the server.
    go: (next: URLSearchParams) =>
      window.history.replaceState(null, "", next.size ? `${path}?${next.toString()}` : path),
    refresh: () => void Promise.all([query.refetch(), fresh.refetch()]),
  };
}

export type List = ReturnType<typeof useList>;
