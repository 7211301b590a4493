import { handleSession } from "@/server/http/session-handler";
import { services } from "@/server/services";

export const dynamic = "force-dynamic";

function answer(request: Request): Promise<Response> {
  return handleSession(services(), request);
}

export { answer as DELETE, answer as GET, answer as POST };
