import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import type { Services } from "@/server/services";
import { appRouter } from "@/server/trpc/root";
import type { Identity } from "@/server/identity/identity";
import type { RequestContext } from "@/server/trpc/init";
import { handle } from "./handle";

/** /api/trpc: the dashboard and the typed client. */
export function handleTrpc(services: Services, request: Request): Promise<Response> {
  return handle(services, request, async (req) => {
    const identity = await services.door.identify(req);
    return fetchRequestHandler({
      endpoint: "/api/trpc",
      req,
      router: appRouter,
      createContext: () => contextOf(services, identity),
    });
  });
}

export function contextOf(services: Services, identity: Identity | null): RequestContext {
  return { services, identity, spend: (who, kind) => services.door.spend(who, kind), onFault: services.onFault };
}
