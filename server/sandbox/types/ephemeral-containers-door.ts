import { type KubernetesObject } from "@/server/kubernetes/object";
import { forbidden, notFound, type FieldError } from "@/server/sandbox/field-error";
import { equalJson, recordOf, textOf } from "@/server/sandbox/json";
import { type PartDoor } from "@/server/sandbox/type-registry";
import { records } from "@/server/sandbox/types/default-pod-spec";
import { containerErrors, validatePodSpec } from "@/server/sandbox/types/validate-pod-spec";

const LIST = "spec.ephemeralContainers";

/** What a container that only looks into a pod cannot have: nothing may come to rely on it. */
const REFUSED = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
];

/** pods/ephemeralcontainers: a running pod gets containers to look into it, and keeps those that it has. */
export const ephemeralContainersDoor: PartDoor = {
  merge: (old, asked) => ({
    ...old,
    metadata: {
      ...old.metadata,
      ...(asked.metadata.managedFields ? { managedFields: asked.metadata.managedFields } : {}),
    },
    spec: { ...old.spec, ephemeralContainers: asked.spec?.["ephemeralContainers"] },
  }),
  validate: (pod, old) => [...validatePodSpec(pod.spec, "spec"), ...addedErrors(pod), ...keptErrors(pod, old)],
};

function addedErrors({ spec = {} }: KubernetesObject): FieldError[] {
  const named = (field: string) => records(spec[field]).map(({ name }) => textOf(name));
  const others = [...named("containers"), ...named("initContainers")];
  const added = records(spec["ephemeralContainers"]);
  return [
    ...containerErrors(added, LIST, new Set(named("volumes")), new Set(others)),
    ...added.flatMap((container, i) => {
      const target = textOf(container["targetContainerName"]);
      const refused = REFUSED.filter((field) => !isZero(container[field]));
      return [
        ...(target === "" || others.includes(target) ? [] : [notFound(`${LIST}[${i}].targetContainerName`, target)]),
        ...refused.map((field) => forbidden(`${LIST}[${i}].${field}`, "cannot be set for an Ephemeral Container")),
      ];
    }),
  ];
}

function isZero(value: unknown): boolean {
  return value === undefined || equalJson(value, {}) || equalJson(value, []);
}

function keptErrors(pod: KubernetesObject, old: KubernetesObject): FieldError[] {
  const now = records(recordOf(pod.spec)["ephemeralContainers"]);
  return records(recordOf(old.spec)["ephemeralContainers"]).flatMap((before) => {
    const after = now.find(({ name }) => name === before["name"]);
    if (after && equalJson(after, before)) return [];
    const what = `existing ephemeral containers ${JSON.stringify(before["name"])} may not be`;
    return [forbidden(LIST, `${what} ${after ? "changed" : "removed"}\n`)];
  });
}
