import { type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo } from "node:net";
import { type Log } from "@/server/observability/log";
import { type Certificate } from "@/server/tls/self-signed-certificate";
import { answerReview, reviewSchema } from "./review";
import { type ReviewDeps } from "./rules";
import { webhookPath } from "./webhook-configuration";

/** The API server takes objects of up to 3 MiB; a review holds the new one and the old one. */
const bodyBytesMax = 8 * 1024 * 1024;

export type WebhookServer = { port: number; renew(certificate: Certificate): void; stop(): Promise<void> };

/** Serves admission reviews over TLS; the certificate can be changed while it runs. */
export async function createWebhookServer(
  deps: ReviewDeps & { log: Log },
  listen: { host: string; port: number; certificate: Certificate },
): Promise<WebhookServer> {
  const server = createServer(listen.certificate, (request, response) => {
    answer(deps, request, response).catch((error: unknown) => {
      deps.log.warn("an admission review failed", { error });
      // The API server refuses the write then, and shows this sentence.
      send(response, 500, "the rules could not be checked");
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(listen.port, listen.host, resolve);
  });
  return {
    // A listening TCP server has an address with a port; Node types it for pipes as well.
    port: (server.address() as AddressInfo).port,
    renew: (certificate) => server.setSecureContext(certificate),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(deps: ReviewDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, body } = await answerOf(deps, request);
  if (status === 200) response.setHeader("content-type", "application/json");
  send(response, status, body);
}

async function answerOf(deps: ReviewDeps, request: IncomingMessage): Promise<{ status: number; body: string }> {
  const { pathname } = new URL(request.url ?? "/", "https://webhook");
  if (request.method !== "POST" || pathname !== webhookPath) return { status: 404, body: "there is nothing here" };
  const text = await bodyOf(request);
  if (text === null) return { status: 413, body: `a review holds at most ${bodyBytesMax} bytes` };
  const review = reviewSchema.safeParse(jsonOf(text));
  if (!review.success) return { status: 400, body: "this is no AdmissionReview of admission.k8s.io/v1" };
  return { status: 200, body: JSON.stringify(await answerReview(deps, review.data)) };
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    // A request without an encoding gives buffers.
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > bodyBytesMax) return null;
  }
  return Buffer.concat(chunks).toString();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: string): void {
  if (response.headersSent) return;
  response.statusCode = status;
  response.end(body);
}
