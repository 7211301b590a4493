import { type IncomingHttpHeaders } from "node:http";
import { type Dispatcher, Pool } from "undici";
import { type Clock } from "@/server/kubernetes/clock";
import { type Connection, type Tls } from "@/server/kubernetes/connection";
import { abortedError, errorOfTransport, timeoutError } from "@/server/kubernetes/errors";

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

/** Takes an answer piece by piece, in the tick in which each arrives. */
export type Sink = { onStart(status: number, headers: IncomingHttpHeaders): void; onData(chunk: Buffer): void };

export type Transport = {
  send(request: Send): Promise<Answer>;
  /** Resolves when the answer has ended. No timeout once it has begun: who takes it decides when it is stalled. */
  stream(request: Send, sink: Sink): Promise<void>;
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

  const dispatch = async (kind: "requests" | "watches", request: Send, sink: Sink, limit: Limit) => {
    const { pools: open, headers } = await current();
    limit.throwIfPassed();
    const options = {
      method: request.method,
      path: prefix + request.path,
      headers: { ...headers, "user-agent": "orrery", accept: "application/json", ...request.headers },
      body: request.body,
    };
    await exchange(open[kind], options, sink, limit);
  };

  return {
    send: async (request) => {
      let status = 0;
      let headers: IncomingHttpHeaders = {};
      const chunks: Buffer[] = [];
      const sink: Sink = {
        onStart: (code, given) => {
          status = code;
          headers = given;
        },
        onData: (chunk) => void chunks.push(chunk),
      };
      await limited(clock, request, (limit) => dispatch("requests", request, sink, limit));
      return { status, headers, text: textOf(chunks) };
    },
    stream: (request, sink) =>
      limited(clock, request, (limit) => {
        const onStart: Sink["onStart"] = (status, headers) => {
          limit.endTime();
          sink.onStart(status, headers);
        };
        return dispatch("watches", request, { onStart, onData: (chunk) => sink.onData(chunk) }, limit);
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

/**
 * One request and its answer, without the streams and signals that undici's own `request` makes for each: those cost as
 * much as the rest of a pass.
 */
function exchange(pool: Pool, options: Dispatcher.DispatchOptions, sink: Sink, limit: Limit): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    let line: Dispatcher.DispatchController | null = null;
    // While it waits for a connection there is no line to cut: it is cut when it gets one, before anything is sent.
    limit.onPassed = (reason) => {
      line?.abort(reason);
      reject(reason);
    };
    const take = (run: () => void) => {
      try {
        run();
      } catch (error) {
        limit.onPassed(error as Error); // whatever the sink throws is what the caller gets
      }
    };
    pool.dispatch(options, {
      onRequestStart: (controller) => {
        line = controller;
        if (limit.passed) controller.abort(limit.passed);
      },
      onResponseStart: (_, status, headers) => {
        if (status >= 200) take(() => sink.onStart(status, headers));
      },
      onResponseData: (_, chunk) => take(() => sink.onData(chunk)),
      onResponseEnd: () => resolve(),
      onResponseError: (_, error) => reject(error),
    });
  });
}

/** Why a request must end before its answer is there. */
type Limit = {
  passed: Error | null;
  onPassed(reason: Error): void;
  throwIfPassed(): void;
  endTime(): void;
};

/** Ends the request when the caller gives up, loses the right to it, or time is up. */
async function limited(clock: Clock, request: Send, run: (limit: Limit) => Promise<void>): Promise<void> {
  const timeoutMs = request.timeoutMs ?? REQUEST_TIMEOUT_MS;
  const what = `${request.method} ${request.path.split("?", 1)[0] ?? ""}`;
  const { signal, right } = request;
  const limit: Limit = {
    passed: null,
    onPassed: () => undefined,
    throwIfPassed: () => {
      if (limit.passed) throw limit.passed;
    },
    endTime: () => timer.cancel(),
  };
  const pass = (reason: Error) => {
    limit.passed ??= reason;
    limit.onPassed(limit.passed);
  };
  const timer = clock.setTimeout(() => pass(timeoutError(what, timeoutMs)), timeoutMs);
  const giveUp = () => pass(abortedError(what));
  if (signal?.aborted || right?.aborted) giveUp();
  signal?.addEventListener("abort", giveUp, { once: true });
  right?.addEventListener("abort", giveUp, { once: true });
  try {
    await run(limit);
  } catch (error) {
    throw right?.aborted ? right.reason : errorOfTransport(error, what);
  } finally {
    timer.cancel();
    signal?.removeEventListener("abort", giveUp);
    right?.removeEventListener("abort", giveUp);
  }
}

function textOf([first, ...more]: Buffer[]): string {
  if (!first) return "";
  return (more.length === 0 ? first : Buffer.concat([first, ...more])).toString("utf8");
}
