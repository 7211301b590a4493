import type { Services } from "@/server/services";
import { handle } from "./handle";

/** /api/health: for load balancers. Says whether the database answers, and nothing that needs a right. */
export function handleHealth(services: Services, request: Request): Promise<Response> {
  return handle(services, request, async () => {
    const database = await services.database.query("SELECT 1").then(
      () => true,
      () => false,
    );
    return Response.json({ ok: database, database }, { status: database ? 200 : 503 });
  });
}
