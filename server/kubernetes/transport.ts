import { type IncomingHttpHeaders } from "node:http";
import { Pool } from "undici";
import { type Clock } from "@/server/kubernetes/clock";
import { type Connection, type Tls } from "@/server/kubernetes/connection";
import { errorOfTransport, timeoutError } from "@/server/kubernetes/errors";

/** Requests at once: far above what a pass needs, far below what priority and fairness would queue. */
const REQUEST_CONNECTIONS = 32;
/** The API server closes idle connections after 90 s; ours go first, so that no request meets a closing one. */
const KEEP_ALIVE_MS = 60_000;
/** A server that does not even accept is away; the next try may reach another one behind the same address. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Probes a silent peer, so that a half-open connection ends in the kernel too. */
const TCP_KEEP_ALIVE_MS = 30_000;
/** The server's own limit for a request is 60 s; a list of many megabytes may use it up. */
const REQUEST_TIMEOUT_MS = 60_000;

export type Send = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  headers?: Record<string, string>;
  body?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
  /** The right to make this request: when it ends, so does the request, and its reason is what is thrown. */
  right?: AbortSignal;
};

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string };

/** A watch's answer: chunks are handed over as they arrive. */
export type Stream = {
  status: number;
  headers: IncomingHttpHeaders;
  body: AsyncIterable<Buffer> & { destroy(): void; text(): Promise<string> };
};

export type Transport = {
  send(request: Send): Promise<Answer>;
  /** No timeout once the headers are there: who reads the stream decides when it is stalled. */
  open(request: Send): Promise<Stream>;
  /** The server refused our credentials: read them afresh for the next request. */
  forgetCredentials(): void;
  close(): Promise<void>;
};

type Pools = { version: string; requests: Pool; watches: Pool };

/** HTTP to one API server: a pool of connections for requests, another one for watches, so that neither starves the other. */
export function createTransport(connection: Connection, { clock }: { clock: Clock }): Transport {
  let pools: Pools | null = null;
  let closed = false;
  // A server behind a gateway may live under a path of its own.
  const prefix = new URL(connection.server).pathname.replace(/\/$/, "");

  const current = async () => {
    const { headers, tls, version } = await connection.credentials();
    if (closed) throw new Error("the client is closed");
    if (pools?.version !== version) {
      const previous = pools;
      pools = {
        version,
        requests: poolOf(connection, tls, REQUEST_CONNECTIONS),
        watches: poolOf(connection, tls, null),
      };
      // What is under way on the old connections ends in its own time; a watch there is reopened when it closes.
      if (previous) for (const pool of [previous.requests, previous.watches]) void pool.close();
    }
    return { pools, headers };
  };

  const dispatch = async (kind: "requests" | "watches", request: Send, signal: AbortSignal) => {
    const { pools: open, headers } = await current();
    signal.throwIfAborted();
    return open[kind].request({
      method: request.method,
      path: prefix + request.path,
      headers: { ...headers, "user-agent": "orrery", accept: "application/json", ...request.headers },
      body: request.body,
      signal,
    });
  };

  return {
    send: (request) =>
      limited(clock, request, async (signal) => {
        const { statusCode, headers, body } = await dispatch("requests", request, signal);
        return { status: statusCode, headers, text: await body.text() };
      }),
    open: (request) =>
      limited(clock, request, async (signal) => {
        const { statusCode, headers, body } = await dispatch("watches", request, signal);
        return { status: statusCode, headers, body };
      }),
    forgetCredentials: () => connection.forget(),
    close: async () => {
      closed = true;
      if (pools) await Promise.all([pools.requests.destroy(), pools.watches.destroy()]);
    },
  };
}

function poolOf(connection: Connection, tls: Tls, connections: number | null): Pool {
  return new Pool(new URL(connection.server).origin, {
    connections,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // Ours run on the given clock.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      timeout: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
      ca: tls.ca,
      cert: tls.cert,
      key: tls.key,
      servername: tls.serverName,
      rejectUnauthorized: !tls.insecure,
    },
  });
}

/** Ends the request when the caller gives up or time is up. An opened stream is no longer watched: its reader ends it. */
async function limited<T>(clock: Clock, request: Send, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const timeoutMs = request.timeoutMs ?? REQUEST_TIMEOUT_MS;
  const what = `${request.method} ${request.path.split("?")[0] ?? ""}`;
  const ended = new AbortController();
  const limit = { passed: false };
  const timer = clock.setTimeout(() => {
    limit.passed = true;
    ended.abort();
  }, timeoutMs);
  const giveUp = () => ended.abort();
  const given = [request.signal, request.right];
  if (given.some((signal) => signal?.aborted)) ended.abort();
  for (const signal of given) signal?.addEventListener("abort", giveUp, { once: true });
  try {
    return await run(ended.signal);
  } catch (error) {
    if (request.right?.aborted) throw request.right.reason;
    throw limit.passed ? timeoutError(what, timeoutMs) : errorOfTransport(error, what);
  } finally {
    clock.clearTimeout(timer);
    for (const signal of given) signal?.removeEventListener("abort", giveUp);
  }
}
