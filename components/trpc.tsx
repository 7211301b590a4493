"use client";
import { QueryClientProvider, type QueryClient } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink, type TRPCClient } from "@trpc/client";
import { createTRPCContext } from "@trpc/tanstack-react-query";
import { useState } from "react";
import type { AppRouter } from "@/server/trpc/root";
import { createQueryClient } from "./query-client";

const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();
export { useTRPC, useTRPCClient };

let shared: { queries: QueryClient; client: TRPCClient<AppRouter> } | undefined;

/** One of each for the browser; one of each per request on the server. */
function connections() {
  if (typeof window === "undefined") return connect();
  shared ??= connect();
  return shared;
}

function connect() {
  const url = "/api/trpc";
  const links = [
    splitLink({
      condition: ({ type }) => type === "subscription",
      true: httpSubscriptionLink({ url }),
      false: httpBatchLink({ url, maxURLLength: 6_000 }),
    }),
  ];
  return { queries: createQueryClient(), client: createTRPCClient<AppRouter>({ links }) };
}

export function Connections({ children }: { children: React.ReactNode }) {
  const [connected] = useState(connections);
  return <ConnectedBy {...connected}>{children}</ConnectedBy>;
}

type Connected = ReturnType<typeof connect> & { children: React.ReactNode };

export function ConnectedBy({ queries, client, children }: Connected) {
  return (
    <QueryClientProvider client={queries}>
      <TRPCProvider trpcClient={client} queryClient={queries}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
