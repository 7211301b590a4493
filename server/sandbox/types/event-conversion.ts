import { type KubernetesObject } from "@/server/kubernetes/object";
import { setKey } from "@/server/sandbox/json";
import { type ResourceType } from "@/server/sandbox/type-registry";

/** Fields of a core/v1 Event and what events.k8s.io calls them. All others have one name in both. */
const names: Readonly<Record<string, string>> = {
  involvedObject: "regarding",
  message: "note",
  reportingComponent: "reportingController",
  count: "deprecatedCount",
  firstTimestamp: "deprecatedFirstTimestamp",
  lastTimestamp: "deprecatedLastTimestamp",
  source: "deprecatedSource",
};
const storedNames = Object.fromEntries(Object.entries(names).map(([core, other]) => [other, core]));

/** Events are stored as core/v1 has them and served in both groups. */
export const eventConversion: NonNullable<ResourceType["conversion"]> = {
  fromStored: (object) => renamed(object, names),
  toStored: (object) => renamed(object, storedNames),
};

function renamed(object: KubernetesObject, table: Readonly<Record<string, string>>): KubernetesObject {
  const result: KubernetesObject = { apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata };
  for (const [key, value] of Object.entries(object))
    setKey(result, Object.hasOwn(table, key) ? (table[key] ?? key) : key, value);
  return result;
}
