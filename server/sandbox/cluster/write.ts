import { randomUUID } from "node:crypto";
import { type Clock } from "@/server/kubernetes/clock";
import { type KubernetesObject, type ObjectMeta } from "@/server/kubernetes/object";
import { type AdmissionPlugin, type RequestContext } from "@/server/sandbox/admission-plugin";
import { type Store } from "@/server/sandbox/storage/store";
import { type ResourceType, type TypeRegistry } from "@/server/sandbox/type-registry";

/** What every write needs. */
export type WriteDeps = { store: Store; types: TypeRegistry; clock: Clock; plugins: AdmissionPlugin[] };

export type { RequestContext };

/** RFC 3339 in whole seconds, as metav1.Time is written. */
export function timeOf(clock: Pick<Clock, "now">): string {
  return `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
}

/** An object whose metadata may be changed without touching the one that was passed in. */
export function withOwnMetadata(object: KubernetesObject): KubernetesObject & { metadata: ObjectMeta } {
  return { ...object, metadata: { ...object.metadata } };
}

export const newUid = randomUUID;

export function namespaceOf(type: ResourceType, namespace: string | undefined): string | undefined {
  return type.namespaced ? namespace : undefined;
}

/** Everything but metadata and status: what metadata.generation counts changes of. */
export function contentOf(object: KubernetesObject): Record<string, unknown> {
  const { metadata: _metadata, status: _status, apiVersion: _apiVersion, kind: _kind, ...content } = object;
  return content;
}
