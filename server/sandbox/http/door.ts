import { type KubernetesObject } from "@/server/kubernetes/object";
import { type IncomingMessage, type ServerResponse } from "node:http";
import { type Duplex } from "node:stream";
import { type Cluster } from "@/server/sandbox/cluster";
import { type RequestContext } from "@/server/sandbox/admission-plugin";
import { type AccessAttributes } from "@/server/sandbox/auth/rbac";
import { type Access } from "@/server/sandbox/http/access";
import { type Call } from "@/server/sandbox/http/call";
import { objectIn } from "@/server/sandbox/http/incoming";
import { discoveryDoor } from "@/server/sandbox/http/discovery-door";
import { getDoor, listDoor } from "@/server/sandbox/http/read-doors";
import { requestContextOf } from "@/server/sandbox/http/request-context";
import { requestInfoOf, type RequestInfo } from "@/server/sandbox/http/request-info";
import { respondError, respondJson } from "@/server/sandbox/http/respond";
import { errorEvent, watchDoor } from "@/server/sandbox/http/watch-door";
import { deleteCollectionDoor, deleteDoor } from "@/server/sandbox/http/delete-doors";
import { patchDoor } from "@/server/sandbox/http/patch-door";
import { scaleDoor } from "@/server/sandbox/http/scale-door";
import { createDoor, updateDoor } from "@/server/sandbox/http/write-doors";
import { own } from "@/server/sandbox/json";
import { builtinSchema } from "@/server/sandbox/schema/builtin-schema";
import { internalError, methodNotAllowedError, statusOf, StatusError } from "@/server/sandbox/status-error";
import { wantedForm } from "@/server/sandbox/table/table-document";
import { type ResourceType, type Subresource } from "@/server/sandbox/type-registry";
import { type WatchHub } from "@/server/sandbox/watch/watch-hub";

/** Serves what is behind a pod's or a service's own ports and streams; `path` is what follows `/proxy`. */
export type Connects = {
  serve(call: ConnectCall, request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade(call: ConnectCall, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
};
export type ConnectCall = {
  kind: "pods" | "services";
  namespace: string;
  name: string;
  subresource: string;
  path: string;
  query: URLSearchParams;
};

/** POST to a subresource that is neither status nor scale: `serviceaccounts/token`, `pods/eviction`. Answers 201. */
export type SubresourceCreate = (
  at: { namespace: string; name: string },
  body: KubernetesObject,
  ctx: RequestContext,
) => Promise<unknown>;

export type DoorDeps = {
  cluster: Cluster;
  hub: WatchHub;
  access: Access;
  connects: () => Connects | null;
  creates: Readonly<Record<string, SubresourceCreate>>;
};

export type Door = {
  onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Requests that are being handled; watches count only until their stream is open. */
  busy(): number;
};

/** Every request comes in here: who is it, may they, which door. */
export function createDoorkeeper(deps: DoorDeps): Door {
  let busy = 0;
  return {
    busy: () => busy,
    onRequest(request, response) {
      busy += 1;
      handle(deps, request, response)
        .catch((error: unknown) => respondError(response, statusErrorOf(error)))
        // After its answer has left, which it does at the end of this turn.
        .finally(() => setImmediate(() => (busy -= 1)));
    },
    onUpgrade(request, socket, head) {
      socket.on("error", () => socket.destroy());
      handleUpgrade(deps, request, socket, head).catch((error: unknown) => refuseUpgrade(socket, statusErrorOf(error)));
    },
  };
}

async function handle(deps: DoorDeps, request: IncomingMessage, response: ServerResponse) {
  const { path, query } = urlOf(request);
  const info = requestInfoOf(path);
  const user = deps.access.authenticate(request.headers);
  const verb = verbOf(request, info, query);
  deps.access.authorize(user, attributesOf(info, verb, path));
  if (!info.resource) return discoveryDoor(deps.cluster, path, request, response);

  const type = deps.cluster.types.find(info.group, info.version, info.plural);
  if (!type || (info.namespace !== undefined && !type.namespaced)) {
    respondNoSuchPath(response);
    return;
  }
  const connect = connectCallOf(info, query);
  const connects = deps.connects();
  if (connect && subresourceOf(type, connect.subresource) && connects)
    return connects.serve(connect, request, response);
  const wantsOne = verb === "update" || verb === "patch";
  if (request.method === "HEAD" || (wantsOne && info.name === undefined)) throw methodNotAllowedError();

  const call: Call = {
    cluster: deps.cluster,
    hub: deps.hub,
    request,
    response,
    type,
    namespace: info.namespace,
    name: info.name,
    subresource: info.subresource,
    query,
    form: wantedForm(request.headers.accept),
    ctx: requestContextOf(request, verb, query, user),
  };
  await doorOf(deps, verb, type, info.subresource)(call);
}

const doors: Readonly<Record<string, (call: Call) => void | Promise<void>>> = {
  get: getDoor,
  list: listDoor,
  watch: openWatch,
  create: createDoor,
  update: updateDoor,
  patch: patchDoor,
  delete: deleteDoor,
  deletecollection: deleteCollectionDoor,
};

/** A watch that cannot start where it was asked to says so inside the stream, as the real one does. */
function openWatch(call: Call) {
  try {
    watchDoor(call);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 410) throw error;
    call.response.writeHead(200, { "content-type": "application/json" });
    call.response.end(errorEvent(error));
  }
}

type OneDoor = (call: Call) => void | Promise<void>;

function doorOf({ creates }: DoorDeps, verb: string, type: ResourceType, name: string | undefined): OneDoor {
  const subresource = subresourceOf(type, name);
  if (name !== undefined && !subresource) throw noSuchPath();
  const verbs: readonly string[] = subresource ? subresource.verbs : type.verbs;
  const door = doors[verb];
  if (!door || !verbs.includes(verb)) throw methodNotAllowedError();
  const paths = subresource?.scale;
  if (paths) return (call) => scaleDoor(call, paths);
  const create = verb === "create" && name !== undefined ? creates[`${type.plural}/${name}`] : undefined;
  return create && subresource ? (call) => subresourceCreate(call, subresource, create) : door;
}

/** Names come from the path, so what every object inherits is no subresource. */
function subresourceOf({ subresources }: ResourceType, name: string | undefined): Subresource | undefined {
  return name === undefined ? undefined : own(subresources, name);
}

async function subresourceCreate(
  call: Call,
  { kind, group = "", version = "v1" }: Subresource,
  create: SubresourceCreate,
) {
  const schema = builtinSchema({ group, version, kind });
  const body = await objectIn({ ...call, type: { group, version, kind, ...(schema ? { schema } : {}) } });
  const at = { namespace: call.namespace ?? "", name: call.name ?? "" };
  respondJson(call.response, 201, await create(at, body, call.ctx));
}

async function handleUpgrade(deps: DoorDeps, request: IncomingMessage, socket: Duplex, head: Buffer) {
  const { path, query } = urlOf(request);
  const info = requestInfoOf(path);
  const user = deps.access.authenticate(request.headers);
  deps.access.authorize(user, attributesOf(info, request.method === "POST" ? "create" : "get", path));
  const connect = connectCallOf(info, query);
  const connects = deps.connects();
  if (!connect || !connects) throw noSuchPath();
  await connects.upgrade(connect, request, socket, head);
}

const verbsOfMethods: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

function verbOf(request: IncomingMessage, info: RequestInfo, query: URLSearchParams): string {
  const method = request.method ?? "GET";
  const verb = verbsOfMethods[method] ?? method.toLowerCase();
  if (!info.resource) return verb;
  if (verb === "get" && (info.watchPrefix || isTrue(query.get("watch"))) && !info.subresource) return "watch";
  if (verb === "get" && info.name === undefined) return "list";
  // An object is created in its collection; only subresources are posted to by name.
  if (verb === "create" && info.name !== undefined && info.subresource === undefined) return "post";
  return verb === "delete" && info.name === undefined ? "deletecollection" : verb;
}

function attributesOf(info: RequestInfo, verb: string, path: string): AccessAttributes {
  if (!info.resource) return { verb, path };
  const { group, version, plural, namespace, name, subresource } = info;
  return { verb, group, version, resource: plural, namespace, name, subresource };
}

const CONNECTS = new Set(["log", "exec", "attach", "portforward", "proxy"]);

function connectCallOf(info: RequestInfo, query: URLSearchParams): ConnectCall | null {
  if (!info.resource || info.group !== "" || !info.subresource || !CONNECTS.has(info.subresource)) return null;
  if ((info.plural !== "pods" && info.plural !== "services") || !info.namespace || !info.name) return null;
  return {
    kind: info.plural,
    namespace: info.namespace,
    name: info.name,
    subresource: info.subresource,
    path: info.rest || "/",
    query,
  };
}

function urlOf(request: IncomingMessage): { path: string; query: URLSearchParams } {
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  return mark < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}

function isTrue(value: string | null): boolean {
  return value === "true" || value === "1";
}

function noSuchPath(): StatusError {
  return new StatusError(404, "NotFound", "the server could not find the requested resource", {});
}

function respondNoSuchPath(response: ServerResponse) {
  respondJson(response, 404, statusOf(noSuchPath()));
}

function statusErrorOf(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  // Controllers and the kubelet throw errors that carry the parts of a Status.
  const { code, reason, message } =
    error instanceof Error
      ? (error as Error & { code?: unknown; reason?: unknown })
      : { code: 0, reason: "", message: String(error) };
  return typeof code === "number" && typeof reason === "string"
    ? new StatusError(code, reason, message)
    : internalError(message);
}

function refuseUpgrade(socket: Duplex, error: StatusError) {
  const body = JSON.stringify(statusOf(error));
  socket.end(
    `HTTP/1.1 ${error.code} ${error.reason}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
