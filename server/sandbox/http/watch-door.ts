import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Call } from "@/server/sandbox/http/call";
import { present } from "@/server/sandbox/http/present";
import { selectionOf, sortedByKey } from "@/server/sandbox/http/read-doors";
import { badRequestError, expiredError, statusOf, type StatusError } from "@/server/sandbox/status-error";
import { apiVersionOf, type ResourceType } from "@/server/sandbox/type-registry";
import { eventOf, type Selection } from "@/server/sandbox/watch/watch-hub";

const BOOKMARK_EVERY_MS = 60_000;
const TIMEOUT_DEFAULT_MS = 30 * 60_000;

/** Streams events until the client leaves or the time is up. */
export function watchDoor(call: Call) {
  const { cluster, hub, type, namespace, query, response } = call;
  const { store, clock } = cluster;
  const matchesQuery = selectionOf(call);
  const selection: Selection = {
    key: [
      apiVersionOf(type),
      type.plural,
      namespace ?? "",
      call.name ?? "",
      query.get("labelSelector") ?? "",
      query.get("fieldSelector") ?? "",
    ].join("\n"),
    storageKey: type.storageKey,
    matches: (object) => (namespace === undefined || object.metadata.namespace === namespace) && matchesQuery(object),
    encode: (eventType, object) => encodeEvent(eventType, present(type, object)),
  };
  const initial = initialEvents(call, selection);

  response.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache, private" });
  response.flushHeaders();
  if (initial.length > 0) response.write(Buffer.concat(initial));
  const leave = hub.join(selection, (chunk) => response.write(chunk));
  const wantsBookmarks = query.get("allowWatchBookmarks") === "true";

  function bookmark() {
    hub.flush();
    response.write(bookmarkOf(type, store.revision()));
  }
  function everyMinute() {
    bookmark();
    nextBookmark = clock.setTimeout(everyMinute, BOOKMARK_EVERY_MS);
  }
  function stop() {
    leave();
    clock.clearTimeout(timeout);
    if (nextBookmark) clock.clearTimeout(nextBookmark);
  }
  let nextBookmark = wantsBookmarks ? clock.setTimeout(everyMinute, BOOKMARK_EVERY_MS) : null;
  const timeoutMs = Number(query.get("timeoutSeconds") ?? 0) * 1_000 || TIMEOUT_DEFAULT_MS;
  const timeout = clock.setTimeout(() => {
    if (wantsBookmarks) bookmark();
    hub.flush();
    stop();
    response.end();
  }, timeoutMs);
  response.on("close", stop);
  response.on("error", stop);
}

function initialEvents({ cluster, type, query }: Call, { matches, encode }: Selection): Buffer[] {
  const { store } = cluster;
  const asked = query.get("resourceVersion") ?? "";
  const sendInitial = query.get("sendInitialEvents") === "true";
  if (asked === "" || asked === "0" || sendInitial) {
    if (query.get("sendInitialEvents") === "false") return [];
    const objects = sortedByKey([...store.all(type.storageKey)].filter(matches));
    const events = objects.map((object) => encode("ADDED", object));
    if (sendInitial && query.get("allowWatchBookmarks") === "true")
      events.push(bookmarkOf(type, store.revision(), { "k8s.io/initial-events-end": "true" }));
    return events;
  }
  if (!/^[0-9]+$/.test(asked))
    throw badRequestError(`Invalid value: "${asked}": strconv.ParseUint: parsing "${asked}": invalid syntax`);
  const changes = store.changesSince(type.storageKey, Number(asked));
  if (!changes) throw expiredError(`too old resource version: ${asked} (${store.compactedRevision(type.storageKey)})`);
  return changes.flatMap((change) => {
    const event = eventOf(change, matches);
    return event ? [encode(event.type, event.object)] : [];
  });
}

export function encodeEvent(type: string, object: unknown): Buffer {
  return Buffer.from(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);
}

export function errorEvent(error: StatusError): Buffer {
  return encodeEvent("ERROR", statusOf(error));
}

function bookmarkOf(type: ResourceType, revision: number, annotations?: Record<string, string>): Buffer {
  const metadata = {
    resourceVersion: String(revision),
    creationTimestamp: null,
    ...(annotations ? { annotations } : {}),
  };
  return encodeEvent("BOOKMARK", { kind: type.kind, apiVersion: apiVersionOf(type), metadata } satisfies
    Partial<KubernetesObject> | object);
}
