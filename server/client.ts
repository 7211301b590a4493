import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink, type TRPCClient } from "@trpc/client";
import { Agent, EventSource, type Dispatcher } from "undici";
import type { AppRouter } from "@/server/trpc/root";

export type OrreryClient = TRPCClient<AppRouter>;

/** The typed client for tools. `token` is a Kubernetes token: of a ServiceAccount, or the one that `kubectl` uses. */
export function createOrreryClient({
  url,
  token,
}: {
  url: string;
  token?: string | (() => Promise<string>);
}): OrreryClient {
  const endpoint = new URL("/api/trpc", url).href;
  const headers = async (): Promise<Record<string, string>> => {
    const bearer = typeof token === "function" ? await token() : token;
    return bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  };
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === "subscription",
        // Asked for at every connection, so that a token may be renewed.
        true: httpSubscriptionLink({
          url: endpoint,
          EventSource,
          eventSourceOptions: async () => ({ dispatcher: sending(await headers()) }),
        }),
        false: httpBatchLink({ url: endpoint, headers, maxURLLength: 2_000 }),
      }),
    ],
  });
}

/** An EventSource has no way to set a header; the connection that it uses has. */
function sending(more: Record<string, string>): Dispatcher {
  return new Agent().compose(
    (dispatch) => (options, handler) =>
      dispatch(
        { ...options, headers: { ...(options.headers as Record<string, string> | undefined), ...more } },
        handler,
      ),
  );
}
