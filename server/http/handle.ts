import { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/unstable-core-do-not-import";
import { securityHeaders } from "@/server/identity/security-headers";
import type { Services } from "@/server/services";
import { answerable, refusalIn } from "@/server/trpc/init";

/** Larger requests are a mistake or an attack; the largest honest one is a bulk command for 2,000 resources. */
const BODY_BYTES_MAX = 512 * 1_024;
const tooLarge = `The body of the request is too large: ${BODY_BYTES_MAX} bytes are the most.`;

/** What every request to the API goes through: the size, who asks, the headers; nothing leaves but a typed answer. */
export async function handle(
  services: Services,
  request: Request,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  try {
    return withHeaders(await answer(await bounded(request)));
  } catch (error) {
    return withHeaders(failure(services, error, new URL(request.url).pathname));
  }
}

/** Any failure as JSON of one shape. */
export function failure(services: Pick<Services, "onFault">, error: unknown, path: string): Response {
  const wrapped = error instanceof TRPCError ? error : new TRPCError({ code: "INTERNAL_SERVER_ERROR", cause: error });
  const told = answerable(wrapped, (fault) => services.onFault(fault, path));
  return Response.json({ refusal: refusalIn(told) }, { status: getHTTPStatusCodeFromError(told) });
}

/** Reads the body up to its limit: a length that is not told, or told wrong, does not help. */
async function bounded(request: Request): Promise<Request> {
  if (request.method === "GET" || request.method === "HEAD" || !request.body) return request;
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The body of a request is a stream of bytes; its type leaves that open.
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > BODY_BYTES_MAX) throw new TRPCError({ code: "PAYLOAD_TOO_LARGE", message: tooLarge });
    chunks.push(chunk);
  }
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: Buffer.concat(chunks) });
}

function withHeaders(response: Response): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(securityHeaders())) headers.set(name, value);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  return new Response(response.body, { status: response.status, headers });
}
