"use client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useRouter, usePathname, useSearchParams } from "next/navigation";
import { useLiveRows } from "../live/live";
import { useTRPC } from "../trpc";
import { matches, paramsOf } from "./list-params";

/** The rows of a list as the address asks for them, page by page, with the counts of all that match. */
export function useList(kind: string | null) {
  const trpc = useTRPC();
  const search = useSearchParams();
  const router = useRouter();
  const path = usePathname();
  const params = paramsOf(search, kind);
  const { filter, sort, direction } = params;
  const query = useInfiniteQuery(
    trpc.fleet.page.infiniteQueryOptions(
      { ...filter, sort, direction, limit: 50 },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined, initialCursor: undefined },
    ),
  );
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
