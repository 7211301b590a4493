import { type KubernetesObject } from "@/server/kubernetes/object";
import { invalid, required, type FieldError } from "@/server/sandbox/field-error";
import { equalJson, isRecord, listOf, recordOf, textOf } from "@/server/sandbox/json";
import { type Strategy } from "@/server/sandbox/type-registry";
import { defaultPodSpec, fill, records } from "@/server/sandbox/types/default-pod-spec";
import { goLabelSelector } from "@/server/sandbox/types/go-label-selector";
import { deploymentErrors } from "@/server/sandbox/types/validate-deployment";
import { validatePodSpec } from "@/server/sandbox/types/validate-pod-spec";
import {
  negatives,
  statefulSetErrors,
  templateMetadataErrors,
  workloadErrors,
} from "@/server/sandbox/types/validate-workload";

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
  "deployments.apps": workload(
    (spec) => {
      fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, strategy: {} });
      const strategy = recordOf(spec["strategy"]);
      fill(strategy, { type: "RollingUpdate" });
      if (strategy["type"] !== "RollingUpdate") return;
      strategy["rollingUpdate"] = { maxUnavailable: "25%", maxSurge: "25%", ...recordOf(strategy["rollingUpdate"]) };
    },
    { validate: deploymentErrors },
  ),
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
    { validate: statefulSetErrors },
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
      labelLikePods(job);
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
  const { matchLabels } = recordOf(spec["selector"]);
  spec["selector"] = { matchLabels: { ...recordOf(matchLabels), "batch.kubernetes.io/controller-uid": uid } };
}

/** A Job without labels has those of its pods. */
function labelLikePods({ metadata, spec = {} }: KubernetesObject) {
  const { labels } = recordOf(recordOf(spec["template"])["metadata"]);
  if (Object.keys(metadata.labels ?? {}).length > 0 || !isRecord(labels)) return;
  metadata.labels = { ...labels } as Record<string, string>; // Checked by the decoder.
}

function jobErrors({ spec = {} }: KubernetesObject, old: KubernetesObject | undefined): FieldError[] {
  const template = recordOf(spec["template"]);
  const errors = [
    ...negatives(spec, ["completions", "parallelism", "backoffLimit", "activeDeadlineSeconds"]),
    ...selectorProblem(spec),
    ...templateMetadataErrors(template),
    ...validatePodSpec(template["spec"], "spec.template.spec"),
  ];
  const policy = textOf(recordOf(template["spec"])["restartPolicy"]);
  if (policy === "Always")
    errors.push(required("spec.template.spec.restartPolicy", 'valid values: "OnFailure", "Never"'));
  if (!old) return errors;
  for (const field of ["selector", "completions"]) {
    if (!equalJson(spec[field], old.spec?.[field]))
      errors.push(invalid(`spec.${field}`, spec[field], "field is immutable"));
  }
  if (!equalJson(spec["template"], old.spec?.["template"]))
    errors.push(invalid("spec.template", listOf([]), "field is immutable"));
  return errors;
}

/** Who chooses the pods of a Job by other labels has to say so. */
function selectorProblem({ manualSelector, selector }: Fields): FieldError[] {
  const labels = Object.keys(recordOf(recordOf(selector)["matchLabels"]));
  if (manualSelector === true || labels.every((label) => label.endsWith("controller-uid"))) return [];
  const badText = goLabelSelector(selector);
  return [{ ...invalid("spec.selector", selector, "`selector` not auto-generated"), badText }];
}
