import { type KubernetesObject } from "@/server/kubernetes/object";
import { crdStrategy } from "@/server/sandbox/crd/crd-strategy";
import { limitRangeStrategy } from "@/server/sandbox/admission/limit-range";
import { webhookConfigurationStrategy } from "@/server/sandbox/admission/webhook-configuration";
import { textOf } from "@/server/sandbox/json";
import { type Strategy } from "@/server/sandbox/type-registry";

const counted: Strategy = { generation: true };

/** By resource: what is particular to each built-in kind. */
export const builtinStrategies: Readonly<Record<string, Strategy>> = {
  namespaces: {
    prepareCreate(namespace) {
      namespace.spec = { ...namespace.spec, finalizers: ["kubernetes"] };
      namespace.status = { phase: "Active" };
      namespace.metadata.labels = {
        ...namespace.metadata.labels,
        "kubernetes.io/metadata.name": namespace.metadata.name,
      };
    },
  },
  pods: {
    prepareCreate(pod) {
      pod.status = { phase: "Pending", qosClass: "BestEffort" };
    },
    selectableFields: { "spec.nodeName": field("spec", "nodeName"), "status.phase": field("status", "phase") },
  },
  events: {
    createOnUpdate: true,
    selectableFields: Object.fromEntries(
      ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map((key) => [
        `involvedObject.${key}`,
        field("involvedObject", key),
      ]),
    ),
  },
  "deployments.apps": counted,
  "replicasets.apps": counted,
  "statefulsets.apps": counted,
  "daemonsets.apps": counted,
  "jobs.batch": counted,
  "cronjobs.batch": counted,
  "customresourcedefinitions.apiextensions.k8s.io": crdStrategy,
  limitranges: limitRangeStrategy,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": webhookConfigurationStrategy(true),
  "validatingwebhookconfigurations.admissionregistration.k8s.io": webhookConfigurationStrategy(false),
};

function field(part: string, key: string): (object: KubernetesObject) => string {
  return (object) => {
    const record = object[part];
    return typeof record === "object" && record !== null && key in record ? textOf(Reflect.get(record, key)) : "";
  };
}
