"use client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useRouter, usePathname, useSearchParams } from "next/navigation";
import { useLiveRows } from "../live/live";
import { listKey } from "../live/apply-delta";
import { useTRPC, useTRPCClient } from "../trpc";
import { matches, paramsOf } from "./list-params";

const first: string | null = null;

/** The rows of a list as the address asks for them, page by page, with the counts of all that match. */
export function useList(kind: string | null) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const search = useSearchParams();
  const router = useRouter();
  const path = usePathname();
  const params = paramsOf(search, kind);
  const { filter, sort, direction } = params;
  const input = { ...filter, sort, direction, limit: 50 };
  // Not by tRPC's own infinite query: that would send a `direction` of its own in place of ours.
  const query = useInfiniteQuery({
    queryKey: [...listKey, input],
    queryFn: ({ pageParam, signal }) =>
      client.fleet.page.query({ ...input, ...(pageParam !== null && { cursor: pageParam }) }, { signal }),
    initialPageParam: first,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const fresh = useQuery({ ...trpc.fleet.page.queryOptions({ ...filter, limit: 1 }), meta: { counts: true } });
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
    go: (next: URLSearchParams) => router.replace(next.size ? `${path}?${next.toString()}` : path, { scroll: false }),
    refresh: () => void Promise.all([query.refetch(), fresh.refetch()]),
  };
}

export type List = ReturnType<typeof useList>;
