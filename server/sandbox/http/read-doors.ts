import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Call } from "@/server/sandbox/http/call";
import { type Page, pageOf } from "@/server/sandbox/http/page";
import { respondObject } from "@/server/sandbox/http/outgoing";
import { present } from "@/server/sandbox/http/present";
import { respondText } from "@/server/sandbox/http/respond";
import { without } from "@/server/sandbox/json";
import { tableOf } from "@/server/sandbox/schema/builtin-messages";
import { notFoundError } from "@/server/sandbox/status-error";
import { partialMetadata } from "@/server/sandbox/table/partial-metadata";
import { type Form, tableDocument } from "@/server/sandbox/table/table-document";
import { apiVersionOf, type ResourceType } from "@/server/sandbox/type-registry";

export function getDoor(call: Call) {
  const { cluster, type, namespace, name = "" } = call;
  const object = cluster.store.get(type.storageKey, namespace, name);
  if (!object) throw notFoundError(type, name);
  respondObject(call, 200, object);
}

export function listDoor(call: Call) {
  const page = pageOf(call);
  respondText(call.response, 200, documents[call.form](call, page), { "content-type": "application/json" });
}

const documents: Record<Form, (call: Call, page: Page) => string> = {
  object: ({ type }, page) =>
    listDocument({ kind: `${type.kind}List`, apiVersion: apiVersionOf(type) }, page, listItem(type)),
  metadata: ({ type }, page) =>
    listDocument({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1" }, page, (object) =>
      partialMetadata(present(type, object)),
    ),
  table({ cluster, type, query }, { objects, metadata }) {
    const shown = objects.map((object) => present(type, object));
    return JSON.stringify(
      tableDocument(type, shown, { now: cluster.clock.now(), include: query.get("includeObject"), metadata }),
    );
  },
};

/** Built of pieces: no copy of all objects is made on the way to the socket. */
function listDocument(
  head: object,
  { objects, metadata }: Page,
  shownOf: (object: KubernetesObject) => unknown,
): string {
  const opening = JSON.stringify({ ...head, metadata }).slice(0, -1);
  return `${opening},"items":[${objects.map((object) => JSON.stringify(shownOf(object))).join(",")}]}`;
}

/** In lists of built-in kinds the kind stands once, at the top. */
function listItem(type: ResourceType): (object: KubernetesObject) => unknown {
  if (!tableOf(type.group, type.version)) return (object) => present(type, object);
  return (object) => without(present(type, object), "apiVersion", "kind");
}
