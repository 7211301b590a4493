import { randomUUID } from "node:crypto";
import { type Clock } from "@/server/kubernetes/clock";
import { type KubernetesObject, type ObjectMeta } from "@/server/kubernetes/object";
import { type AdmissionPlugin } from "@/server/sandbox/admission-plugin";
import { without } from "@/server/sandbox/json";
import { type Store } from "@/server/sandbox/storage/store";
import { type ResourceType, type TypeRegistry } from "@/server/sandbox/type-registry";

/** What every write needs. */
export type WriteDeps = { store: Store; types: TypeRegistry; clock: Clock; plugins: AdmissionPlugin[] };

let latest = { second: NaN, text: "" };

/** RFC 3339 in whole seconds, as metav1.Time is written. Every write asks, so the latest second is remembered. */
export function timeOf(clock: Pick<Clock, "now">): string {
  const second = Math.floor(clock.now() / 1_000);
  if (second !== latest.second) latest = { second, text: `${new Date(second * 1_000).toISOString().slice(0, 19)}Z` };
  return latest.text;
}

/** Maps and lists that are empty are not there at all, as Go leaves them out. */
export function dropEmpty(metadata: ObjectMeta) {
  for (const key of ["labels", "annotations", "finalizers", "ownerReferences"] as const) {
    const value = metadata[key];
    if (value !== undefined && isEmpty(value)) Reflect.deleteProperty(metadata, key);
  }
}

function isEmpty(value: object): boolean {
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}

export const newUid = randomUUID;

export function namespaceOf(type: ResourceType, namespace: string | undefined): string | undefined {
  return type.namespaced ? namespace : undefined;
}

/** Everything but metadata and status: what metadata.generation counts changes of. */
export function contentOf(object: KubernetesObject): Record<string, unknown> {
  return without(object, "metadata", "status", "apiVersion", "kind");
}
