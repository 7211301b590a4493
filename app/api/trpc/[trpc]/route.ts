import { handleTrpc } from "@/server/http/trpc-handler";
import { services } from "@/server/services";

export const dynamic = "force-dynamic";

function answer(request: Request): Promise<Response> {
  return handleTrpc(services(), request);
}

export { answer as GET, answer as POST };
