import { handleRest } from "@/server/feldera/rest/handle-rest";
import { services } from "@/server/services";

export const dynamic = "force-dynamic";

function answer(request: Request): Promise<Response> {
  const found = services();
  return handleRest(found, request, { namespace: found.restNamespace });
}

export { answer as GET, answer as POST, answer as PUT, answer as PATCH, answer as DELETE };
