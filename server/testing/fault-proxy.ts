import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo } from "node:net";
import { type Clock } from "@/server/kubernetes/clock";
import { type Connection, serverConnection } from "@/server/kubernetes/connection";
import { type FaultPlan } from "@/server/testing/faults";
import { createUpstream, textOf } from "@/server/testing/upstream";
import { createWatchRelay, type RelayedStream } from "@/server/testing/watch-relay";
import { carryWrite } from "@/server/testing/write-relay";

/** One write of the worker, as it went. */
export type ProxiedWrite = {
  /** From 1 on; 0 for one that is not counted. */
  number: number;
  method: string;
  path: string;
  body: unknown;
  /** What the API server said; null when the write never reached it. */
  answer: { status: number; body: unknown } | null;
  /** Other writes that were under way when this one arrived. */
  beside: readonly ProxiedWrite[];
};

export type FaultProxyOptions = {
  upstream: Connection;
  clock: Clock;
  /** null: a clean run. */
  plan: FaultPlan | null;
  /** The worker must die now: the request that it waits for gets no answer. */
  onCrash: () => void;
  onWrite?: (write: ProxiedWrite) => void;
};

/** News and leadership are written on a beat of their own, which no fault at a numbered place could repeat. */
const NOT_COUNTED = /\/(events|leases)(\/|\?|$)/;

/** A real HTTP proxy between a worker and an API server. It numbers writes and watch events, and breaks one of them. */
export async function createFaultProxy(options: FaultProxyOptions) {
  const upstream = createUpstream(options.upstream);
  const writes: ProxiedWrite[] = [];
  const streams = new Map<string, RelayedStream>();
  const state: ProxyState = { busy: 0, held: 0, events: 0, newsAtMs: 0, crashAtStatus: false, fired: false };
  const underWay = new Set<ProxiedWrite>();
  const watches = createWatchRelay({ ...options, upstream, streams, state });

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? "/";
    const body = await textOf(request);
    if (request.method === "GET" && /[?&]watch=/.test(path)) return watches.relay(path, headersOf(request), response);
    if (request.method === "GET" && watches.answersList(path, response)) return;
    const writeOf = (number: number): ProxiedWrite => ({
      number,
      method: request.method ?? "",
      path,
      body: parsed(body),
      answer: null,
      beside: [...underWay],
    });
    const forward = () => upstream.send(request.method ?? "GET", path, headersOf(request), body).then(whole);
    if (request.method === "GET" || NOT_COUNTED.test(path)) {
      const answer = await forward();
      if (request.method === "GET") watches.sawList(path, answer.text);
      else options.onWrite?.({ ...writeOf(0), answer: { status: answer.status, body: parsed(answer.text) } });
      reply(response, answer);
      return;
    }
    const write = writeOf(writes.length + 1);
    writes.push(write);
    underWay.add(write);
    state.newsAtMs = options.clock.monotonic();
    await carryWrite({ write, forward, response, reply, plan: options.plan, state, onCrash: options.onCrash });
    underWay.delete(write);
    options.onWrite?.(write);
  };

  const server = createServer((request, response) => {
    state.busy++;
    handle(request, response)
      .catch(() => response.destroy())
      .finally(() => state.busy--);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has one

  return {
    connection: () => serverConnection({ server: `http://127.0.0.1:${port}` }),
    writes: writes as readonly ProxiedWrite[],
    streams: streams as ReadonlyMap<string, RelayedStream>,
    /** Requests being handled; open watches and those that never get an answer do not count. */
    busy: () => state.busy,
    /** Requests that get no answer, until the caller hangs up. */
    held: () => state.held,
    events: () => state.events,
    /** When the last write or event came. */
    newsAtMs: () => state.newsAtMs,
    /** Has the planned fault happened? */
    fired: () => state.fired && !state.crashAtStatus,
    bytesRead: upstream.bytesRead,
    stop: async () => {
      watches.stop();
      upstream.stop();
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

export type ProxyState = {
  busy: number;
  held: number;
  events: number;
  newsAtMs: number;
  crashAtStatus: boolean;
  fired: boolean;
};
export type Whole = { status: number; headers: Record<string, string>; text: string };

async function whole(message: IncomingMessage): Promise<Whole> {
  return { status: message.statusCode ?? 0, headers: plain(message.headers), text: await textOf(message) };
}

function reply(response: ServerResponse, { status, headers, text }: Whole) {
  const { "content-type": contentType = "application/json", "retry-after": retryAfter } = headers;
  response.writeHead(status, { "content-type": contentType, ...(retryAfter ? { "retry-after": retryAfter } : {}) });
  response.end(text);
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const { "content-type": contentType, accept } = plain(request.headers);
  return { ...(contentType ? { "content-type": contentType } : {}), ...(accept ? { accept } : {}) };
}

function plain(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
