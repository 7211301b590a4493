import { type KubernetesObject } from "@/server/kubernetes/object";
import { type ResourceType, type UserInfo } from "@/server/sandbox/type-registry";

/**
 * One link of the admission chain. `mutate` may change `attributes.object` in place; `validate` throws a StatusError.
 * Both may return a promise; after the last `validate` that returns none, the write happens in the same tick.
 */
export type AdmissionPlugin = {
  name: string;
  mutate?: (attributes: AdmissionAttributes) => void | Promise<void>;
  validate?: (attributes: AdmissionAttributes) => void | Promise<void>;
};

export type AdmissionAttributes = {
  operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  type: ResourceType;
  subresource?: string;
  namespace?: string;
  name: string;
  object?: KubernetesObject;
  oldObject?: KubernetesObject;
  ctx: RequestContext;
};

/** Who asks, and how. */
export type RequestContext = {
  user: UserInfo;
  dryRun?: boolean;
  fieldManager?: string;
  /** What to do with fields that the schema does not know; Kubernetes' default is Warn. */
  fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** Sentences for the Warning headers of the answer. */
  warnings?: string[];
};

export async function admit(
  plugins: readonly AdmissionPlugin[],
  step: "mutate" | "validate",
  attributes: AdmissionAttributes,
) {
  for (const plugin of plugins) {
    const pending = plugin[step]?.(attributes);
    if (pending) await pending;
  }
}
