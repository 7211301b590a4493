import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Call } from "@/server/sandbox/http/call";
import { parseFieldSelector } from "@/server/sandbox/selector/field-selector";
import { parseLabelSelector } from "@/server/sandbox/selector/label-selector";

/** What the selectors of a request match; a name in the path selects too. */
export function selectionOf({
  type,
  query,
  name,
}: Pick<Call, "type" | "query" | "name">): (object: KubernetesObject) => boolean {
  const labels = query.get("labelSelector");
  const fields = query.get("fieldSelector");
  const byLabels = labels ? parseLabelSelector(labels) : null;
  const byFields = fields ? parseFieldSelector(type, fields) : null;
  return (object) =>
    (name === undefined || object.metadata.name === name) &&
    (!byLabels || byLabels(object.metadata.labels)) &&
    (!byFields || byFields(object));
}
