import { type KubernetesObject } from "@/server/kubernetes/object";
import { apiVersionOf, type ResourceType } from "@/server/sandbox/type-registry";

/** An object in the version of the type that was asked for. */
export function present(type: ResourceType, object: KubernetesObject): KubernetesObject {
  const apiVersion = apiVersionOf(type);
  const read = type.conversion ? type.conversion.fromStored(object) : object;
  return read.apiVersion === apiVersion ? read : { ...read, apiVersion, kind: type.kind };
}

/** An object that a client sent, in the version that is stored. */
export function toStored(type: ResourceType, stored: ResourceType, object: KubernetesObject): KubernetesObject {
  if (type === stored) return object;
  return {
    ...(type.conversion ? type.conversion.toStored(object) : object),
    apiVersion: apiVersionOf(stored),
    kind: stored.kind,
  };
}
