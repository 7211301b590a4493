import { listQuery } from "@/components/list/list-query";
import { paramsOf } from "@/components/list/list-params";
import { ResourceList } from "@/components/list/resource-list";
import { Prefetch } from "./prefetch";

export type Search = Promise<Record<string, string | string[] | undefined>>;

/** A list with its first page and its counts in the first paint. */
export async function PrefetchedList({ kind, searchParams }: { kind: string | null; searchParams: Search }) {
  const params = paramsOf(searchOf(await searchParams), kind);
  const { input, key } = listQuery(params);
  return (
    <Prefetch
      paged={({ caller }) => [{ queryKey: key, queryFn: () => caller.fleet.page(input), initialPageParam: null }]}
    >
      <ResourceList key={kind} kind={kind} />
    </Prefetch>
  );
}

function searchOf(given: Awaited<Search>): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) for (const one of [value ?? []].flat()) search.append(name, one);
  return search;
}
