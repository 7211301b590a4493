import { handleHealth } from "@/server/http/health-handler";
import { services } from "@/server/services";

export const dynamic = "force-dynamic";

export function GET(request: Request): Promise<Response> {
  return handleHealth(services(), request);
}
