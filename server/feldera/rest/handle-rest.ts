import { securityHeaders } from "@/server/identity/security-headers";
import { KubernetesError } from "@/server/kubernetes/errors";
import { refSchema } from "@/server/resources/ref";
import { Refused, type Refusal } from "@/server/resources/refusal";
import type { Services } from "@/server/services";
import { tooLarge } from "./pipeline-body";
import { RestError } from "./rest-error";
import { routes } from "./routes";
import { unknownPipeline } from "./stored-pipeline";

/** A program as large as may be, twice: JSON writes some letters as six. */
const BODY_BYTES_MAX = 2_000_000;

/** /v0: for what already speaks Feldera's REST API. The same functions answer as behind the tRPC API. */
export async function handleRest(
  services: Services,
  request: Request,
  options: { namespace: string },
): Promise<Response> {
  try {
    const { status, body } = await answer(services, request, options);
    return respond(status, body);
  } catch (error) {
    const { status, code, message, details } = told(services, error, request);
    return respond(status, { message, error_code: code, details });
  }
}

async function answer(services: Services, request: Request, options: { namespace: string }) {
  const url = new URL(request.url);
  const [collection = "", name = "", action, ...more] = partsOf(url.pathname);
  const form = [collection, name && "{name}", action].filter(Boolean).join("/");
  const key = `${request.method} ${form}`;
  const route = more.length === 0 && Object.hasOwn(routes, key) ? routes[key] : undefined;
  if (!route) throw new RestError(404, "UnknownEndpoint", `There is no ${request.method} ${url.pathname}.`);
  const identity = await services.door.identify(request);
  if (!identity) throw new Refused("unauthenticated", "Send a bearer token.");
  services.door.spend(identity, request.method === "GET" ? "query" : "mutation");
  const namespace = url.searchParams.get("namespace") ?? options.namespace;
  requirePlace({ namespace, name, isNew: request.method === "PUT" });
  return route({
    asked: { ...services, identity },
    namespace,
    name,
    query: url.searchParams,
    body: () => jsonOf(request),
  });
}

/** What can be the name of nothing is not asked for, and gets into no log. A new one is told what is wrong with it. */
function requirePlace({ namespace, name, isNew }: { namespace: string; name: string; isNew: boolean }): void {
  if (namespace === "" || !refSchema.shape.namespace.safeParse(namespace).success)
    throw new RestError(400, "InvalidNamespace", "The namespace is not the name of one.");
  if (name !== "" && !isNew && !refSchema.shape.name.safeParse(name).success) throw unknownPipeline(name);
}

function partsOf(path: string): string[] {
  try {
    return path
      .replace(/^\/v0\//, "")
      .split("/")
      .map(decodeURIComponent);
  } catch {
    throw new RestError(400, "InvalidPath", "The path is not properly percent-encoded.");
  }
}

async function jsonOf(request: Request): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The body of a request is a stream of bytes; its type leaves that open.
  for await (const chunk of (request.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > BODY_BYTES_MAX) throw tooLarge(`The request body is longer than ${BODY_BYTES_MAX} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new RestError(400, "InvalidRequestBody", "The request body is not JSON.");
  }
}

const refusals: Partial<Record<Refusal["code"], { status: number; code: string }>> = {
  permission: { status: 403, code: "InsufficientPermissions" },
  unauthenticated: { status: 401, code: "Unauthenticated" },
  "not found": { status: 404, code: "UnknownPipelineName" },
  conflict: { status: 409, code: "OutdatedPipelineVersion" },
  busy: { status: 409, code: "OutdatedPipelineVersion" },
  invalid: { status: 400, code: "InvalidRequestBody" },
  unavailable: { status: 503, code: "ClusterUnavailable" },
  "check failed": { status: 503, code: "ClusterUnavailable" },
  "too many requests": { status: 429, code: "TooManyRequests" },
};

function told(services: Services, error: unknown, request: Request) {
  if (error instanceof RestError) return error;
  if (error instanceof Refused) {
    const { sentence, code: reason } = error.refusal;
    const { status, code } = refusals[reason] ?? { status: 400, code: "IllegalPipelineAction" };
    return { status, code, message: sentence, details: {} };
  }
  if (error instanceof KubernetesError) return byCluster(error);
  services.onFault(error, new URL(request.url).pathname);
  return {
    status: 500,
    code: "InternalError",
    message: "The request failed for a fault of the server's own.",
    details: {},
  };
}

/** What the cluster itself refuses. Of what went wrong inside it nothing is told. */
function byCluster({ kind, message }: KubernetesError) {
  if (kind === "invalid") return { status: 400, code: "InvalidRequestBody", message, details: {} };
  if (kind === "notFound") return { status: 404, code: "UnknownNamespace", message, details: {} };
  const sentence = "The cluster does not answer as it should; try again.";
  return { status: 503, code: "ClusterUnavailable", message: sentence, details: {} };
}

function respond(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { ...securityHeaders(), "cache-control": "no-cache" } });
}
