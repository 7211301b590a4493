import { TRPCError } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import type { Services } from "@/server/services";
import { appRouter } from "@/server/trpc/root";
import type { Identity } from "@/server/identity/identity";
import type { RequestContext } from "@/server/trpc/init";
import { handle } from "./handle";
import { procedures } from "./procedures";

const ENDPOINT = "/api/trpc";

/** /api/trpc: the dashboard and the typed client. */
export function handleTrpc(services: Services, request: Request): Promise<Response> {
  return handle(services, request, async (req) => {
    const identity = await services.door.identify(req);
    const procedure = procedures.get(new URL(req.url).pathname.slice(ENDPOINT.length + 1));
    // tRPC would open the stream and refuse inside it, and whoever only sees the status would come again.
    if (!identity && procedure?.type === "subscription")
      throw new TRPCError({ code: "UNAUTHORIZED", message: "Sign in first." });
    return fetchRequestHandler({
      endpoint: ENDPOINT,
      req,
      router: appRouter,
      createContext: () => contextOf(services, identity, req),
    });
  });
}

/** Without a request, for a page that asks on behalf of somebody: there are no streams to end. */
export function contextOf(services: Services, identity: Identity | null, request?: Request): RequestContext {
  const { door, onFault } = services;
  // A cluster that does not answer takes nobody's right away.
  const stillKnown = (from: Request) =>
    door.identify(from).then(
      (known) => known !== null,
      () => true,
    );
  return {
    services,
    identity,
    ...(request && { stillKnown: () => stillKnown(request) }),
    spend: (who, kind) => door.spend(who, kind),
    onFault,
  };
}
