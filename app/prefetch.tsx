import { dehydrate, HydrationBoundary, type QueryExecuteOptions } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { headers } from "next/headers";
import { cache } from "react";
import { createQueryClient } from "@/components/query-client";
import { contextOf } from "@/server/http/trpc-handler";
import type { Identity } from "@/server/identity/identity";
import { services } from "@/server/services";
import { appRouter, createCaller } from "@/server/trpc/root";

/** Who asks for this page; null: nobody that we know. */
export const asker = cache(async (): Promise<Identity | null> => {
  const sent = await headers();
  return services().door.identify(new Request("http://orrery.local/", { headers: new Headers([...sent]) }));
});

/** One moment for the whole page: every age in it is told as of then. */
export const madeAt = cache(() => Date.now());

const queriesOf = cache(async () => {
  const queryClient = createQueryClient();
  const ctx = contextOf(services(), await asker());
  return {
    queryClient,
    trpc: createTRPCOptionsProxy({ ctx, router: appRouter, queryClient }),
    caller: createCaller(ctx),
  };
});

type Queries = Awaited<ReturnType<typeof queriesOf>>;
type Props = {
  queries?: (trpc: Queries["trpc"]) => unknown[];
  /** What is read page by page: its first page. */
  paged?: (queries: Pick<Queries, "trpc" | "caller">) => unknown[];
  children: React.ReactNode;
};

/** What the page will ask for is asked for here already, so that its first paint has something to show. */
export async function Prefetch({ queries = () => [], paged = () => [], children }: Props) {
  const { queryClient, trpc, caller } = await queriesOf();
  // Each is the options of some procedure; their types have nothing in common but this. A failed one is asked for again.
  await Promise.all([
    ...queries(trpc).map((query) => queryClient.query(query as QueryExecuteOptions).catch(() => undefined)),
    ...paged({ trpc, caller }).map((query) => queryClient.infiniteQuery(query as FirstPage).catch(() => undefined)),
  ]);
  return <HydrationBoundary state={dehydrate(queryClient)}>{children}</HydrationBoundary>;
}

/** What stands around every page asks for these, before any page in it does. */
export async function shellState() {
  const { trpc } = await queriesOf();
  const queryClient = createQueryClient();
  const wanted = [trpc.machines.list.queryOptions(), trpc.whoami.queryOptions()];
  await Promise.all(wanted.map((query) => queryClient.query(query as QueryExecuteOptions).catch(() => undefined)));
  return dehydrate(queryClient);
}

type FirstPage = Parameters<Queries["queryClient"]["infiniteQuery"]>[0];
