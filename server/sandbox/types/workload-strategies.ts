import { type KubernetesObject } from "@/server/kubernetes/object";
import { forbidden, invalid, notSupported, required, type FieldError } from "@/server/sandbox/field-error";
import { equalJson, isRecord, listOf, recordOf, textOf } from "@/server/sandbox/json";
import { matcherOf } from "@/server/sandbox/selector/label-selector";
import { type Strategy } from "@/server/sandbox/type-registry";
import { defaultPodSpec, fill, records } from "@/server/sandbox/types/default-pod-spec";
import { goLabelSelector, goStringMap } from "@/server/sandbox/types/go-label-selector";
import { negative, validatePodSpec } from "@/server/sandbox/types/validate-pod-spec";

type Fields = Record<string, unknown>;

/** What the kinds that make pods have in common: a template, a selector that never changes, a number of replicas. */
function workload(
  defaults: (spec: Fields, object: KubernetesObject) => void,
  more: Pick<Strategy, "validate"> = {},
): Strategy {
  return {
    generation: true,
    normalize(object) {
      if (!isRecord(object.spec)) return;
      defaults(object.spec, object);
      defaultTemplate(object.spec["template"]);
    },
    validate: (object, old) => [...workloadErrors(object, old), ...(more.validate?.(object, old) ?? [])],
  };
}

function defaultTemplate(template: unknown) {
  if (isRecord(template) && isRecord(template["spec"])) defaultPodSpec(template["spec"]);
}

export const workloadStrategies: Readonly<Record<string, Strategy>> = {
  "deployments.apps": workload((spec) => {
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, strategy: {} });
    const strategy = recordOf(spec["strategy"]);
    fill(strategy, { type: "RollingUpdate" });
    if (strategy["type"] !== "RollingUpdate") return;
    strategy["rollingUpdate"] = { maxUnavailable: "25%", maxSurge: "25%", ...recordOf(strategy["rollingUpdate"]) };
  }),
  "replicasets.apps": workload((spec) => fill(spec, { replicas: 1 })),
  "statefulsets.apps": workload(
    (spec) => {
      fill(spec, { replicas: 1, podManagementPolicy: "OrderedReady", revisionHistoryLimit: 10, updateStrategy: {} });
      fill(spec, { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" } });
      const strategy = recordOf(spec["updateStrategy"]);
      fill(strategy, { type: "RollingUpdate" });
      if (strategy["type"] === "RollingUpdate")
        strategy["rollingUpdate"] = { partition: 0, ...recordOf(strategy["rollingUpdate"]) };
      for (const claim of records(spec["volumeClaimTemplates"])) {
        fill(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim", status: { phase: "Pending" } });
        if (isRecord(claim["spec"])) fill(claim["spec"], { volumeMode: "Filesystem" });
      }
    },
    { validate: (object, old) => (old ? statefulSetUpdate(object, old) : []) },
  ),
  "daemonsets.apps": workload((spec) => {
    fill(spec, {
      revisionHistoryLimit: 10,
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    });
  }),
  "jobs.batch": {
    generation: true,
    normalize(job) {
      if (!isRecord(job.spec)) return;
      fill(job.spec, {
        backoffLimit: 6,
        completionMode: "NonIndexed",
        suspend: false,
        podReplacementPolicy: "TerminatingOrFailed",
      });
      if (job.spec["completions"] === undefined && job.spec["parallelism"] === undefined) job.spec["completions"] = 1;
      fill(job.spec, { parallelism: 1 });
      defaultTemplate(job.spec["template"]);
    },
    prepareCreate: labelJob,
    validate: jobErrors,
  },
  "cronjobs.batch": {
    generation: true,
    normalize(job) {
      if (!isRecord(job.spec)) return;
      fill(job.spec, {
        concurrencyPolicy: "Allow",
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      });
      defaultTemplate(recordOf(recordOf(job.spec["jobTemplate"])["spec"])["template"]);
    },
    validate: ({ spec = {} }) => (textOf(spec["schedule"]) === "" ? [required("spec.schedule")] : []),
  },
};

function workloadErrors(object: KubernetesObject, old: KubernetesObject | undefined): FieldError[] {
  const spec = object.spec ?? {};
  const errors: FieldError[] = [];
  const { replicas, selector, template } = spec;
  if (typeof replicas === "number" && replicas < 0) errors.push(negative("spec.replicas", replicas));
  if (!isRecord(selector)) errors.push(required("spec.selector"));
  else if (Object.keys(selector).length === 0)
    errors.push(invalid("spec.selector", selector, "empty selector is invalid for deployment"));
  errors.push(...templateErrors(recordOf(template), selector, claimNames(spec)));
  if (old && !equalJson(selector, old.spec?.["selector"]) && object.kind !== "StatefulSet") {
    errors.push({ ...invalid("spec.selector", selector, "field is immutable"), badText: goLabelSelector(selector) });
  }
  return errors;
}

/** A StatefulSet's claims are volumes of its pods. */
function claimNames(spec: Fields): string[] {
  return records(spec["volumeClaimTemplates"]).map((claim) => textOf(recordOf(claim["metadata"])["name"]));
}

function templateErrors(template: Fields, selector: unknown, claims: readonly string[]): FieldError[] {
  const labels = recordOf(recordOf(template["metadata"])["labels"]) as Record<string, string>; // Checked by the decoder.
  const errors: FieldError[] = [];
  if (isRecord(selector) && !matcherOf(selector)(labels)) {
    const mismatch = invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
    errors.push({ ...mismatch, badText: goStringMap(labels) });
  }
  errors.push(...validatePodSpec(template["spec"], "spec.template.spec", claims));
  const policy = textOf(recordOf(template["spec"])["restartPolicy"]);
  if (policy !== "Always" && policy !== "")
    errors.push(notSupported("spec.template.spec.restartPolicy", policy, ["Always"]));
  return errors;
}

const STATEFUL_SET_MUTABLE = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
  "revisionHistoryLimit",
];

function statefulSetUpdate(object: KubernetesObject, old: KubernetesObject): FieldError[] {
  const fixed = ({ spec = {} }: KubernetesObject) =>
    Object.fromEntries(Object.entries(spec).filter(([key]) => !STATEFUL_SET_MUTABLE.includes(key)));
  if (equalJson(fixed(object), fixed(old))) return [];
  return [
    forbidden(
      "spec",
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ),
  ];
}

/** A Job selects its pods by its own uid, unless somebody insists on another way. */
function labelJob(job: KubernetesObject) {
  const { spec } = job;
  if (!isRecord(spec) || spec["manualSelector"] === true || !isRecord(spec["template"])) return;
  const uid = String(job.metadata.uid);
  const metadata = recordOf(spec["template"]["metadata"]);
  const own = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": job.metadata.name,
    "controller-uid": uid,
    "job-name": job.metadata.name,
  };
  spec["template"]["metadata"] = { ...metadata, labels: { ...recordOf(metadata["labels"]), ...own } };
  spec["selector"] = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } };
}

function jobErrors({ spec = {} }: KubernetesObject, old: KubernetesObject | undefined): FieldError[] {
  const template = recordOf(spec["template"]);
  const errors = validatePodSpec(template["spec"], "spec.template.spec");
  const policy = textOf(recordOf(template["spec"])["restartPolicy"]);
  if (policy === "Always")
    errors.push(required("spec.template.spec.restartPolicy", 'valid values: "OnFailure", "Never"'));
  for (const field of ["completions", "parallelism", "backoffLimit"]) {
    const value = spec[field];
    if (typeof value === "number" && value < 0) errors.push(negative(`spec.${field}`, value));
  }
  if (!old) return errors;
  for (const field of ["selector", "completions"]) {
    if (!equalJson(spec[field], old.spec?.[field]))
      errors.push(invalid(`spec.${field}`, spec[field], "field is immutable"));
  }
  if (!equalJson(spec["template"], old.spec?.["template"]))
    errors.push(invalid("spec.template", listOf([]), "field is immutable"));
  return errors;
}
