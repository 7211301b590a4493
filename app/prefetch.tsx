import { dehydrate, HydrationBoundary, type QueryExecuteOptions } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { headers } from "next/headers";
import { cache } from "react";
import { createQueryClient } from "@/components/query-client";
import { contextOf } from "@/server/http/trpc-handler";
import type { Identity } from "@/server/identity/identity";
import { services } from "@/server/services";
import { appRouter } from "@/server/trpc/root";

/** Who asks for this page; null: nobody that we know. */
export const asker = cache(async (): Promise<Identity | null> => {
  const sent = await headers();
  return services().door.identify(new Request("http://orrery.local/", { headers: new Headers([...sent]) }));
});

const queriesOf = cache(async () => {
  const queryClient = createQueryClient();
  const ctx = contextOf(services(), await asker());
  return { queryClient, trpc: createTRPCOptionsProxy({ ctx, router: appRouter, queryClient }) };
});

type Trpc = Awaited<ReturnType<typeof queriesOf>>["trpc"];

/** What the page will ask for is asked for here already, so that its first paint has something to show. */
export async function Prefetch({
  queries,
  children,
}: {
  queries: (trpc: Trpc) => unknown[];
  children: React.ReactNode;
}) {
  const { queryClient, trpc } = await queriesOf();
  const wanted = [trpc.machines.list.queryOptions(), trpc.whoami.queryOptions(), ...queries(trpc)];
  // Each is the options of some procedure; their types have nothing in common but this. A failed one is asked for again.
  await Promise.all(wanted.map((query) => queryClient.query(query as QueryExecuteOptions).catch(() => undefined)));
  return <HydrationBoundary state={dehydrate(queryClient)}>{children}</HydrationBoundary>;
}
