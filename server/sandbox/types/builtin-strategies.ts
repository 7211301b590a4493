import { limitRangeStrategy } from "@/server/sandbox/admission/limit-range";
import { webhookConfigurationStrategy } from "@/server/sandbox/admission/webhook-configuration";
import { rbacStrategies } from "@/server/sandbox/auth/rbac-strategies";
import { crdStrategy } from "@/server/sandbox/crd/crd-strategy";
import { invalid, required } from "@/server/sandbox/field-error";
import { equalJson, isRecord, recordOf, textOf } from "@/server/sandbox/json";
import { type Strategy } from "@/server/sandbox/type-registry";
import { cpuMetric } from "@/server/sandbox/types/autoscaler-conversion";
import { coreStrategies } from "@/server/sandbox/types/core-strategies";
import { fill, fillSpec, records } from "@/server/sandbox/types/default-pod-spec";
import { quotaStrategy } from "@/server/sandbox/types/quota-strategy";
import { serviceStrategy } from "@/server/sandbox/types/service-strategy";
import { selectorErrors } from "@/server/sandbox/types/validate-labels";
import { workloadStrategies } from "@/server/sandbox/types/workload-strategies";

const rbacGroup = "rbac.authorization.k8s.io";

const bindingStrategy: Strategy = {
  normalize(binding) {
    if (isRecord(binding["roleRef"])) fill(binding["roleRef"], { apiGroup: rbacGroup });
    for (const subject of records(binding["subjects"]))
      if (subject["kind"] !== "ServiceAccount") fill(subject, { apiGroup: rbacGroup });
  },
  validate(binding, old) {
    const { kind, name, apiGroup } = recordOf(binding["roleRef"]);
    if (textOf(name) === "") return [required("roleRef.name")];
    if (!old || equalJson(binding["roleRef"], old["roleRef"])) return [];
    const badText = `rbac.RoleRef{APIGroup:${JSON.stringify(apiGroup)}, Kind:${JSON.stringify(kind)}, Name:${JSON.stringify(name)}}`;
    return [{ ...invalid("roleRef", binding["roleRef"], "cannot change roleRef"), badText }];
  },
};

/** By resource: what is particular to each built-in kind. */
export const builtinStrategies: Readonly<Record<string, Strategy>> = {
  ...coreStrategies,
  ...workloadStrategies,
  services: serviceStrategy,
  limitranges: limitRangeStrategy,
  resourcequotas: quotaStrategy,
  ...rbacStrategies,
  "customresourcedefinitions.apiextensions.k8s.io": crdStrategy,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": webhookConfigurationStrategy(true),
  "validatingwebhookconfigurations.admissionregistration.k8s.io": webhookConfigurationStrategy(false),
  [`rolebindings.${rbacGroup}`]: bindingStrategy,
  [`clusterrolebindings.${rbacGroup}`]: bindingStrategy,
  "leases.coordination.k8s.io": { createOnUpdate: true },
  "storageclasses.storage.k8s.io": {
    normalize: (storageClass) => fill(storageClass, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),
    validate: (storageClass) => (textOf(storageClass["provisioner"]) === "" ? [required("provisioner")] : []),
  },
  "horizontalpodautoscalers.autoscaling": {
    normalize: (object) => fillSpec(object, { minReplicas: 1, metrics: [cpuMetric(80)] }),
  },
  "networkpolicies.networking.k8s.io": {
    generation: true,
    normalize: (object) =>
      fillSpec(object, { policyTypes: object.spec?.["egress"] ? ["Ingress", "Egress"] : ["Ingress"] }),
  },
  "ingresses.networking.k8s.io": { generation: true },
  "poddisruptionbudgets.policy": {
    generation: true,
    validate: ({ spec = {} }) => selectorErrors(spec["selector"], "spec.selector"),
  },
  "endpointslices.discovery.k8s.io": { generation: true },
  "priorityclasses.scheduling.k8s.io": {
    normalize: (object) => fill(object, { preemptionPolicy: "PreemptLowerPriority" }),
  },
};
