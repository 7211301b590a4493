import { forbidden } from "@/server/sandbox/field-error";
import { type Call } from "@/server/sandbox/http/call";
import { present } from "@/server/sandbox/http/present";
import { revisionOf, sortedByKey } from "@/server/sandbox/http/page";
import { selectionOf } from "@/server/sandbox/http/selection";
import { jsonOf } from "@/server/sandbox/storage/json-of";
import { partialMetadata } from "@/server/sandbox/table/partial-metadata";
import { type Form, tableDocument } from "@/server/sandbox/table/table-document";
import { expiredError, invalidError, statusOf, type StatusError } from "@/server/sandbox/status-error";
import { apiVersionOf, type ResourceType } from "@/server/sandbox/type-registry";
import { eventOf, type Selection } from "@/server/sandbox/watch/watch-hub";

const BOOKMARK_EVERY_MS = 60_000;
const TIMEOUT_DEFAULT_MS = 30 * 60_000;
/** A watcher that is so far behind is let go, as the real server does; it comes back and lists. */
const BACKLOG_MAX_BYTES = 64 * 1_024 * 1_024;

/** Streams events until the client leaves or the time is up. */
export function watchDoor(call: Call) {
  const { cluster, hub, type, namespace, query, form, response } = call;
  const { store, clock } = cluster;
  checkOptions(query);
  const matchesQuery = selectionOf(call);
  const selection: Selection = {
    key: [
      apiVersionOf(type),
      type.plural,
      namespace,
      call.name,
      query.get("labelSelector"),
      query.get("fieldSelector"),
      sharedForm(form),
    ].join("\n"),
    storageKey: type.storageKey,
    matches: (object) => (namespace === undefined || object.metadata.namespace === namespace) && matchesQuery(object),
    encode: encoderOf(call),
  };
  const initial = initialEvents(call, selection);

  response.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache, private" });
  response.flushHeaders();
  if (initial.length > 0) response.write(initial.join(""));
  // The frame of a chunk costs as much as a small event, so all watchers get the same one, straight to their sockets.
  const socket = response.chunkedEncoding ? response.socket : null;
  const leave = hub.join(selection, ({ events, chunk }) => {
    if (socket) socket.write(chunk);
    else response.write(events);
    if (response.writableLength > BACKLOG_MAX_BYTES) response.destroy();
  });
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

function initialEvents({ cluster, type, query }: Call, { matches, encode }: Selection): string[] {
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
  const changes = store.changesSince(type.storageKey, revisionOf(asked) ?? 0);
  if (!changes) throw expiredError(`too old resource version: ${asked} (${store.compactedRevision(type.storageKey)})`);
  return changes.flatMap((change) => {
    const event = eventOf(change, matches);
    return event ? [encode(event.type, event.object)] : [];
  });
}

let tableWatches = 0;

/** Watches of tables differ in who has had the columns, so each is a group of its own. */
function sharedForm(form: Form): string {
  return form === "table" ? `table ${(tableWatches += 1)}` : form;
}

function encoderOf({ cluster, type, query, form }: Call): Selection["encode"] {
  let withoutColumns = false;
  const encoders: Record<Form, Selection["encode"]> = {
    object: (eventType, object) => eventLine(eventType, jsonOf(present(type, object))),
    metadata: (eventType, object) => encodeEvent(eventType, partialMetadata(object)),
    table(eventType, object) {
      const shown = present(type, object);
      const metadata = { resourceVersion: object.metadata.resourceVersion };
      const table = tableDocument(type, [shown], {
        now: cluster.clock.now(),
        include: query.get("includeObject"),
        metadata,
        withoutColumns,
      });
      withoutColumns = true;
      return encodeEvent(eventType, table);
    },
  };
  return encoders[form];
}

/** What a watch may not ask for, in the words of the real one. */
function checkOptions(query: URLSearchParams) {
  const options = { group: "meta.k8s.io", kind: "ListOptions" };
  const [initial, match] = [query.get("sendInitialEvents"), query.get("resourceVersionMatch")];
  if (initial === null && match) {
    throw invalidError(options, "", [
      forbidden(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      ),
    ]);
  }
  if (initial !== null && match !== "NotOlderThan") {
    const rule = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    throw invalidError(options, "", [forbidden("resourceVersionMatch", rule)]);
  }
}

function encodeEvent(type: string, object: unknown): string {
  return eventLine(type, JSON.stringify(object));
}

function eventLine(type: string, json: string): string {
  return `{"type":"${type}","object":${json}}\n`;
}

export function errorEvent(error: StatusError): string {
  return encodeEvent("ERROR", statusOf(error));
}

function bookmarkOf(type: ResourceType, revision: number, annotations?: Record<string, string>): string {
  const metadata = {
    resourceVersion: String(revision),
    creationTimestamp: null,
    ...(annotations ? { annotations } : {}),
  };
  return encodeEvent("BOOKMARK", { kind: type.kind, apiVersion: apiVersionOf(type), metadata });
}
