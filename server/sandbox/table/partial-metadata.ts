import { type KubernetesObject } from "@/server/kubernetes/object";

/** An object without everything but its metadata, as metadata-only clients ask for it. */
export function partialMetadata({ metadata }: KubernetesObject) {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
}
