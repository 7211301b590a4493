import { type ServerResponse } from "node:http";
import { statusOf, type StatusError } from "@/server/sandbox/status-error";

type Headers = Readonly<Record<string, string | string[]>>;

export function respondJson(response: ServerResponse, code: number, body: unknown, headers: Headers = {}) {
  respondText(response, code, JSON.stringify(body), { "content-type": "application/json", ...headers });
}

export function respondText(response: ServerResponse, code: number, text: string, headers: Headers) {
  const length = Buffer.byteLength(text);
  response.writeHead(code, { "cache-control": "no-cache, private", ...headers, "content-length": length });
  if (ready.length === 0) setImmediate(sendReady);
  ready.push({ response, text });
}

let ready: { response: ServerResponse; text: string }[] = [];

/** The answers of one turn leave together: a client that waits for several is woken once for all, not for each. */
function sendReady() {
  const answers = ready;
  ready = [];
  // As text, so that head and body leave in one write.
  for (const { response, text } of answers) response.end(text);
}

export function respondError(response: ServerResponse, error: StatusError) {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const retryAfter = error.details?.retryAfterSeconds;
  const headers: Record<string, string> = retryAfter ? { "retry-after": String(retryAfter) } : {};
  if (error.code === 413) headers["connection"] = "close";
  respondJson(response, error.code, statusOf(error), headers);
}
