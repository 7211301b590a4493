import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Call } from "@/server/sandbox/http/call";
import { present } from "@/server/sandbox/http/present";
import { respondJson, respondText } from "@/server/sandbox/http/respond";
import { parseFieldSelector } from "@/server/sandbox/selector/field-selector";
import { parseLabelSelector } from "@/server/sandbox/selector/label-selector";
import { notFoundError } from "@/server/sandbox/status-error";
import { keyOf } from "@/server/sandbox/storage/store";
import { apiVersionOf } from "@/server/sandbox/type-registry";

export function getDoor({ cluster, type, namespace, name = "", response }: Call) {
  const object = cluster.store.get(type.storageKey, namespace, name);
  if (!object) throw notFoundError(type, name);
  respondJson(response, 200, present(type, object));
}

export function listDoor(call: Call) {
  const { cluster, type, namespace, response } = call;
  const matches = selectionOf(call);
  const found = [...cluster.store.all(type.storageKey, namespace)].filter(matches);
  const items = sortedByKey(found).map((object) => JSON.stringify(present(type, object)));
  const head = JSON.stringify({
    kind: `${type.kind}List`,
    apiVersion: apiVersionOf(type),
    metadata: { resourceVersion: String(cluster.store.revision()) },
  });
  respondText(response, 200, `${head.slice(0, -1)},"items":[${items.join(",")}]}`, {
    "content-type": "application/json",
  });
}

export function selectionOf({ type, query, name }: Call): (object: KubernetesObject) => boolean {
  const labels = query.get("labelSelector");
  const fields = query.get("fieldSelector");
  const byLabels = labels ? parseLabelSelector(labels) : null;
  const byFields = fields ? parseFieldSelector(type, fields) : null;
  return (object) =>
    (name === undefined || object.metadata.name === name) &&
    (!byLabels || byLabels(object.metadata.labels)) &&
    (!byFields || byFields(object));
}

export function sortedByKey(objects: KubernetesObject[]): KubernetesObject[] {
  const keyed = objects.map((object) => ({ key: keyOf(object), object }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return keyed.map(({ object }) => object);
}
