import { callTRPCProcedure, isTrackedEnvelope } from "@trpc/server";
import { Refused } from "@/server/resources/refusal";
import type { Services } from "@/server/services";
import { appRouter } from "@/server/trpc/root";
import { failure, handle } from "./handle";
import { openApi } from "./open-api";
import { procedures, type Described } from "./procedures";
import { contextOf } from "./trpc-handler";

/** /api/v1: the same procedures as plain HTTP, for callers that are not TypeScript. */
export function handlePlain(services: Services, request: Request): Promise<Response> {
  return handle(services, request, async (req) => {
    const url = new URL(req.url);
    const path = url.pathname.replace(/^\/api\/v1\//, "");
    if (path === "openapi.json") return Response.json(openApi(services.about.version));
    const procedure = procedures.get(path);
    if (!procedure) throw new Refused("not found", "There is no such procedure; /api/v1/openapi.json lists them.");
    if (procedure.type === "mutation" && req.method !== "POST")
      throw new Refused("invalid", `${path} changes something: POST it.`);
    const identity = await services.door.identify(req);
    const input = await inputOf(req, url);
    const result: unknown = await callTRPCProcedure({
      router: appRouter,
      path,
      type: procedure.type,
      ctx: contextOf(services, identity, req),
      getRawInput: async () => input,
      signal: req.signal,
      batchIndex: 0,
    });
    return procedure.type === "subscription" ? streamOf(services, procedure, result) : Response.json(result);
  });
}

async function inputOf(request: Request, url: URL): Promise<unknown> {
  const text = request.method === "POST" ? await request.text() : (url.searchParams.get("input") ?? "");
  if (text === "") return undefined;
  try {
    const input: unknown = JSON.parse(text);
    const lastEventId = request.headers.get("last-event-id");
    return lastEventId && typeof input === "object" ? { ...input, lastEventId } : input;
  } catch {
    throw new Refused("invalid", "The input is not JSON.");
  }
}

/** Server-sent events; a reader that does not read holds up its own stream and nothing else. */
function streamOf(services: Services, { path }: Described, result: unknown): Response {
  // The procedure's own output schema has made sure of it.
  const iterator = (result as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  let hasLeft = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const next = await iterator.next();
        // A stream that nobody reads any more is closed already.
        if (hasLeft) return;
        if (next.done) controller.close();
        else controller.enqueue(eventOf(next.value));
      } catch (error) {
        if (hasLeft) return;
        const refused = await failure(services, error, path).text();
        controller.enqueue(encoder.encode(`event: refused\ndata: ${refused}\n\n`));
        controller.close();
      }
    },
    cancel: async () => {
      hasLeft = true;
      await iterator.return?.();
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" } });
}

const encoder = new TextEncoder();
const encoded = new WeakMap<object, { id: string; bytes: Uint8Array }>();

/** What many streams are told is made into bytes once. */
function eventOf(value: unknown): Uint8Array {
  const [id, data] = isTrackedEnvelope(value) ? [value[0], value[1]] : ["", value];
  const isShared = typeof data === "object" && data !== null;
  const known = isShared ? encoded.get(data) : undefined;
  if (known?.id === id) return known.bytes;
  const bytes = encoder.encode(`${id ? `id: ${id}\n` : ""}data: ${JSON.stringify(data)}\n\n`);
  if (isShared) encoded.set(data, { id, bytes });
  return bytes;
}
