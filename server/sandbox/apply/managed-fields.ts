import { type KubernetesObject } from "@/server/kubernetes/object";
import { type RequestContext } from "@/server/sandbox/admission-plugin";
import { type ResourceType } from "@/server/sandbox/type-registry";

/** Who set which field. */
export function trackCreate(_type: ResourceType, object: KubernetesObject, _ctx: RequestContext, _time: string) {
  delete object.metadata.managedFields;
}
