import { type KubernetesObject } from "@/server/kubernetes/object";
import { forbidden, invalid } from "@/server/sandbox/field-error";
import { type Call } from "@/server/sandbox/http/call";
import { selectionOf } from "@/server/sandbox/http/selection";
import { badRequestError, expiredError, invalidError, StatusError } from "@/server/sandbox/status-error";
import { keyOf, type Store } from "@/server/sandbox/storage/store";

/** What a list answers with. */
export type Page = {
  objects: KubernetesObject[];
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
};

type Token = { rv: number; start: string };

/** The objects of a list: selected, in order, one page of them, at the revision that the client may ask for. */
export function pageOf(call: Call): Page {
  const { cluster, type, namespace, query } = call;
  const { store } = cluster;
  const limit = Number(query.get("limit") ?? 0);
  const token = tokenIn(query.get("continue"));
  const revision = token?.rv ?? exactRevision(store, query);
  const matches = selectionOf(call);
  const all =
    revision === null
      ? [...store.all(type.storageKey, namespace)]
      : objectsAt(store, type.storageKey, revision, namespace, token !== null);
  const selected = sortedByKey(all.filter(matches)).filter((object) => !token || keyOf(object) > token.start);
  const resourceVersion = String(revision ?? store.revision());
  if (limit <= 0 || selected.length <= limit) return { objects: selected, metadata: { resourceVersion } };

  const objects = selected.slice(0, limit);
  const last = objects[objects.length - 1];
  const next = tokenOf({ rv: Number(resourceVersion), start: last ? keyOf(last) : "" });
  // With selectors the real server does not know how many remain.
  const remaining =
    query.get("labelSelector") || query.get("fieldSelector") ? {} : { remainingItemCount: selected.length - limit };
  return { objects, metadata: { resourceVersion, continue: next, ...remaining } };
}

export function sortedByKey(objects: KubernetesObject[]): KubernetesObject[] {
  const keyed = objects.map((object) => ({ key: keyOf(object), object }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return keyed.map(({ object }) => object);
}

/** The revision that a list must be read at, or null for "now". */
function exactRevision(store: Store, query: URLSearchParams): number | null {
  const version = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const asked = revisionOf(version);
  if (match !== "") checkMatch(match, version, query.get("continue"));
  if (asked !== null && asked > store.revision()) throw tooLargeVersion(asked, store.revision());
  return match === "Exact" ? asked : null;
}

/** A resourceVersion as a number; null when none is given. */
export function revisionOf(version: string): number | null {
  if (version === "" || version === "0") return null;
  if (/^[0-9]+$/.test(version)) return Number(version);
  const parse = `strconv.ParseUint: parsing "${version}": invalid syntax`;
  throw invalidError({ group: "meta.k8s.io", kind: "ListOptions" }, "", [invalid("resourceVersion", version, parse)]);
}

const LIST_OPTIONS = { group: "meta.k8s.io", kind: "ListOptions" };

function checkMatch(match: string, version: string, token: string | null) {
  const field = "resourceVersionMatch";
  if (token)
    throw invalidError(LIST_OPTIONS, "", [
      forbidden(field, "resourceVersionMatch is forbidden when continue is provided"),
    ]);
  if (match !== "Exact" && match !== "NotOlderThan") {
    throw invalidError(LIST_OPTIONS, "", [
      {
        type: "FieldValueNotSupported",
        field,
        badValue: match,
        detail: 'supported values: "Exact", "NotOlderThan", ""',
      },
    ]);
  }
  if (version === "")
    throw invalidError(LIST_OPTIONS, "", [
      forbidden(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"),
    ]);
  if (match === "Exact" && version === "0") {
    throw invalidError(LIST_OPTIONS, "", [
      forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
    ]);
  }
}

function tooLargeVersion(asked: number, current: number): StatusError {
  const message = `Timeout: Too large resource version: ${asked}, current: ${current}`;
  return new StatusError(504, "Timeout", message, {
    retryAfterSeconds: 1,
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
  });
}

function objectsAt(
  store: Store,
  storageKey: string,
  revision: number,
  namespace: string | undefined,
  continued: boolean,
): KubernetesObject[] {
  const found = store.allAt(storageKey, revision);
  if (!found) {
    throw expiredError(
      continued
        ? "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list."
        : `The resourceVersion for the provided list is too old.`,
    );
  }
  return [...found.values()].filter((object) => namespace === undefined || object.metadata.namespace === namespace);
}

function tokenOf(token: Token): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", ...token })).toString("base64url");
}

function tokenIn(text: string | null): Token | null {
  if (!text) return null;
  try {
    // A token that is not ours fails below.
    const { rv, start } = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as Partial<Token>;
    if (typeof rv === "number" && typeof start === "string") return { rv, start };
  } catch {
    // Told below, as for any other text that is no token.
  }
  throw badRequestError("continue key is not valid: the token was not made by this server");
}
