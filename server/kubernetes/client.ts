import { wireJson } from "./wire-json";
import { type Clock } from "@/server/kubernetes/clock";
import { type Connection } from "@/server/kubernetes/connection";
import { errorOfStatus, isUnauthorized, malformedError, withoutQuotes } from "@/server/kubernetes/errors";
import { apiVersionOf, type Api, type KubernetesObject, type ObjectKey, pathOf } from "@/server/kubernetes/object";
import { createTransport, type Answer, type Send, type Transport } from "@/server/kubernetes/transport";
import { watchEvents, watchInto, type WatchEvent, type WatchSink } from "@/server/kubernetes/watch";

export type KubernetesClient = {
  get(api: Api, key: ObjectKey, options?: CallOptions): Promise<KubernetesObject>;
  list(api: Api, options?: ListOptions): Promise<KubernetesList>;
  create(api: Api, object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  replace(api: Api, object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  patch(api: Api, key: ObjectKey, body: unknown, options: PatchOptions): Promise<KubernetesObject>;
  /** Answers with the Status of an object that is gone, or with the object that waits for its finalizers. */
  delete(api: Api, key: ObjectKey, options?: DeleteOptions): Promise<KubernetesObject>;
  /** Any request. `body` of the answer is parsed when it is JSON. Everything but 2xx is thrown as a KubernetesError. */
  request(method: Send["method"], path: string, options?: RequestOptions): Promise<{ status: number; body: unknown }>;
  watch(path: string, options: { query?: Query; signal: AbortSignal }): AsyncIterable<WatchEvent>;
  /** The same without a promise per event: the sink is called in the tick in which the bytes arrive. Resolves when the stream ends. */
  watchInto(path: string, options: { query?: Query; signal: AbortSignal }, sink: WatchSink): Promise<void>;
  /**
   * The same connections; `check` is called right before every write, retries included, and stops it by throwing. A
   * signal that it gives ends the write while it is under way: one that still waits for a connection is never sent.
   */
  guarded(check: Check): KubernetesClient;
  close(): Promise<void>;
};

export type Check = () => AbortSignal | undefined;
export type Query = Record<string, string | number | boolean | undefined>;
export type CallOptions = { timeoutMs?: number; signal?: AbortSignal };
export type RequestOptions = CallOptions & { query?: Query; body?: unknown; headers?: Record<string, string> };
export type ListOptions = CallOptions & {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  limit?: number;
  continue?: string;
  resourceVersion?: string;
  resourceVersionMatch?: "Exact" | "NotOlderThan";
};
export type WriteOptions = CallOptions & { subresource?: string; dryRun?: boolean; fieldManager?: string };
export type PatchOptions = WriteOptions & { type: keyof typeof patchTypes; force?: boolean };
export type DeleteOptions = CallOptions & {
  uid?: string;
  resourceVersion?: string;
  propagation?: "Background" | "Foreground" | "Orphan";
  graceSeconds?: number;
  dryRun?: boolean;
};
export type KubernetesList = {
  resourceVersion: string;
  continue: string | null;
  remaining: number | null;
  items: KubernetesObject[];
};

const patchTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  // JSON is YAML, and this is the name that every server knows.
  apply: "application/apply-patch+yaml",
} as const;

/** Tries after a 429: the server asked us to come back, and it has done nothing yet. client-go's number. */
const THROTTLED_TRIES_MAX = 10;
/** When the server names no time: client-go's default. */
const THROTTLED_WAIT_MS = 1_000;

/** A refusal may quote what was refused; for these, that would carry the secret into logs and history. */
const SECRETS = /^\/api\/v1\/(namespaces\/[^/]+\/)?secrets([/?]|$)/;

export function createClient(options: { connection: Connection; clock: Clock }): KubernetesClient {
  return clientOver(createTransport(options.connection, { clock: options.clock }), options.clock);
}

/** The client over a transport that somebody else watches or bends. */
export function clientOver(transport: Transport, clock: Clock, check: Check = () => undefined): KubernetesClient {
  const send = async (request: Send): Promise<Answer> => {
    for (let tries = 1, renewed = false; ; tries++) {
      const right = request.method === "GET" ? undefined : check();
      const answer = await transport.send(right ? { ...request, right } : request);
      if (answer.status < 300) return answer;
      const body = parsed(request, answer, "lenient");
      const told = errorOfStatus(answer.status, body, header(answer, "retry-after"));
      const error = SECRETS.test(request.path) ? withoutQuotes(told) : told;
      if (isUnauthorized(error) && !renewed) {
        renewed = true;
        transport.forgetCredentials();
        continue;
      }
      // Only a 429 is surely without effect; other failures are for the caller to judge.
      if (error.kind !== "tooManyRequests" || tries >= THROTTLED_TRIES_MAX) throw error;
      await clock.sleep(error.retryAfterMs ?? THROTTLED_WAIT_MS, request.signal);
      if (request.signal?.aborted) throw error;
    }
  };

  const request: KubernetesClient["request"] = async (method, path, given = {}) => {
    const { query, body, headers, timeoutMs, signal } = given;
    const sent: Send = {
      method,
      path: path + queryOf(query),
      headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
      body: body === undefined ? undefined : wireJson(body),
      timeoutMs,
      signal,
    };
    const answer = await send(sent);
    return { status: answer.status, body: parsed(sent, answer, "strict") };
  };

  return {
    ...verbsOver(request),
    request,
    watch: (path, given) =>
      watchEvents(given.signal, (signal, sink) => watchInto(transport, path + queryOf(given.query), signal, sink)),
    watchInto: (path, given, sink) => watchInto(transport, path + queryOf(given.query), given.signal, sink),
    guarded: (more) =>
      clientOver(transport, clock, () => {
        const right = check();
        return more() ?? right;
      }),
    close: () => transport.close(),
  };
}

type Verb = "get" | "list" | "create" | "replace" | "patch" | "delete";

function verbsOver(request: KubernetesClient["request"]): Pick<KubernetesClient, Verb> {
  const object = async (...args: Parameters<typeof request>): Promise<KubernetesObject> => {
    const { body } = await request(...args);
    return objectOf(body, `${args[0]} ${args[1]}`);
  };

  return {
    get: (api, key, call) => object("GET", pathOf(api, key), call),
    list: async (api, { namespace, timeoutMs, signal, ...query } = {}) => {
      const { body } = await request("GET", pathOf(api, { namespace }), { query, timeoutMs, signal });
      return listOf(api, body);
    },
    create: (api, body, { subresource, dryRun, fieldManager, ...call } = {}) => {
      const at = {
        namespace: body.metadata.namespace,
        ...(subresource ? { name: body.metadata.name, subresource } : {}),
      };
      return object("POST", pathOf(api, at), { ...call, query: writeQuery(dryRun, fieldManager), body });
    },
    replace: (api, body, { subresource, dryRun, fieldManager, ...call } = {}) => {
      const at = { namespace: body.metadata.namespace, name: body.metadata.name, subresource };
      return object("PUT", pathOf(api, at), { ...call, query: writeQuery(dryRun, fieldManager), body });
    },
    patch: (api, key, body, { type, subresource, dryRun, fieldManager, force, ...call }) =>
      object("PATCH", pathOf(api, { ...key, subresource }), {
        ...call,
        query: { ...writeQuery(dryRun, fieldManager), force },
        headers: { "content-type": patchTypes[type] },
        body,
      }),
    delete: (api, key, { uid, resourceVersion, propagation, graceSeconds, dryRun, ...call } = {}) =>
      object("DELETE", pathOf(api, key), {
        ...call,
        query: writeQuery(dryRun, undefined),
        body: {
          apiVersion: "v1",
          kind: "DeleteOptions",
          preconditions: uid || resourceVersion ? { uid, resourceVersion } : undefined,
          propagationPolicy: propagation,
          gracePeriodSeconds: graceSeconds,
        },
      }),
  };
}

function writeQuery(dryRun: boolean | undefined, fieldManager: string | undefined): Query {
  return { dryRun: dryRun ? "All" : undefined, fieldManager };
}

function queryOf(query: Query | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? "" : `?${search.toString()}`;
}

function header(answer: Answer, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function parsed(request: Send, answer: Answer, mode: "strict" | "lenient"): unknown {
  if (!header(answer, "content-type")?.includes("json")) return answer.text;
  try {
    return JSON.parse(answer.text);
  } catch {
    if (mode === "lenient") return answer.text;
    throw malformedError(`${request.method} ${request.path}`, SECRETS.test(request.path) ? "" : answer.text);
  }
}

/** Every write that succeeds answers with an object or a Status; anything else is a stranger on the line. */
function objectOf(body: unknown, what: string): KubernetesObject {
  if (typeof body === "object" && body !== null && "kind" in body && "metadata" in body)
    return body as KubernetesObject; // checked as far as any server promises
  throw malformedError(what, typeof body === "string" ? body : JSON.stringify(body));
}

/** Items of a built-in list come without their kind; a watch gives it. Ours always have it. */
function listOf(api: Api, body: unknown): KubernetesList {
  if (typeof body !== "object" || body === null || !("items" in body))
    throw malformedError(`LIST ${api.plural}`, JSON.stringify(body));
  // The shape of every list that an API server gives, whatever the kind.
  const list = body as {
    metadata?: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
    items: KubernetesObject[] | null;
  };
  const apiVersion = apiVersionOf(api);
  const items = list.items ?? [];
  for (const [index, item] of items.entries()) {
    if (!item.kind) items[index] = { ...item, apiVersion, kind: api.kind };
  }
  return {
    resourceVersion: list.metadata?.resourceVersion ?? "",
    continue: list.metadata?.continue || null,
    remaining: list.metadata?.remainingItemCount ?? null,
    items,
  };
}
