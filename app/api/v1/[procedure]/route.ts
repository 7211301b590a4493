import { handlePlain } from "@/server/http/plain-handler";
import { services } from "@/server/services";

export const dynamic = "force-dynamic";

function answer(request: Request): Promise<Response> {
  return handlePlain(services(), request);
}

export { answer as GET, answer as POST };
