import { type KubernetesObject } from "@/server/kubernetes/object";
import { ageOf } from "@/server/sandbox/crd/age";
import { listOf, recordOf, textOf } from "@/server/sandbox/json";
import {
  age,
  at,
  column,
  countAt,
  labelsShown,
  name,
  numberAt,
  selectorShown,
  shown,
  since,
  templateColumns,
  textAt,
  wide,
} from "@/server/sandbox/table/cells";
import { type Column } from "@/server/sandbox/type-registry";

const selector = wide("Selector", (object) => selectorShown(at(object, "spec.selector")));
const replicas: readonly Column[] = [
  column("Desired", (object) => numberAt(object, "spec.replicas"), "integer"),
  column("Current", countAt("status.replicas"), "integer"),
  column("Ready", countAt("status.readyReplicas"), "integer"),
];
const readyOfWanted = column(
  "Ready",
  (object) => `${numberAt(object, "status.readyReplicas")}/${numberAt(object, "spec.replicas")}`,
);

export const workloadColumns: Readonly<Record<string, readonly Column[]>> = {
  "deployments.apps": [
    name,
    readyOfWanted,
    column("Up-to-date", countAt("status.updatedReplicas"), "integer"),
    column("Available", countAt("status.availableReplicas"), "integer"),
    age,
    ...templateColumns,
    selector,
  ],
  "replicasets.apps": [name, ...replicas, age, ...templateColumns, selector],
  replicationcontrollers: [
    name,
    ...replicas,
    age,
    ...templateColumns,
    wide("Selector", (object) => labelsShown(at(object, "spec.selector"))),
  ],
  "statefulsets.apps": [name, readyOfWanted, age, ...templateColumns],
  "daemonsets.apps": [
    name,
    column("Desired", countAt("status.desiredNumberScheduled"), "integer"),
    column("Current", countAt("status.currentNumberScheduled"), "integer"),
    column("Ready", countAt("status.numberReady"), "integer"),
    column("Up-to-date", countAt("status.updatedNumberScheduled"), "integer"),
    column("Available", countAt("status.numberAvailable"), "integer"),
    column("Node Selector", (object) => labelsShown(at(object, "spec.template.spec.nodeSelector"))),
    age,
    ...templateColumns,
    selector,
  ],
  "jobs.batch": [
    name,
    column("Status", jobStatus),
    column("Completions", (job) => `${numberAt(job, "status.succeeded")}/${completions(job)}`),
    column("Duration", duration),
    age,
    ...templateColumns,
    selector,
  ],
  "cronjobs.batch": [
    name,
    column("Schedule", textAt("spec.schedule")),
    column("Timezone", textAt("spec.timeZone", "<none>")),
    column("Suspend", (job) => (at(job, "spec.suspend") === true ? "True" : "False")),
    column("Active", (job) => listOf(at(job, "status.active")).length, "integer"),
    column("Last Schedule", (job, now) =>
      at(job, "status.lastScheduleTime") === undefined ? "<none>" : since(at(job, "status.lastScheduleTime"), now),
    ),
    age,
  ],
  "controllerrevisions.apps": [
    name,
    column("Controller", ({ metadata }) => {
      const owner = metadata.ownerReferences?.find(({ controller }) => controller);
      return owner ? `${owner.kind.toLowerCase()}.${owner.apiVersion.split("/")[0] ?? ""}/${owner.name}` : "<none>";
    }),
    column("Revision", (object) => Number(object["revision"] ?? 0), "integer"),
    age,
  ],
  "horizontalpodautoscalers.autoscaling": [
    name,
    column(
      "Reference",
      (object) => `${textOf(at(object, "spec.scaleTargetRef.kind"))}/${textOf(at(object, "spec.scaleTargetRef.name"))}`,
    ),
    column("Targets", (object) => listOf(at(object, "spec.metrics")).map(targetOf).join(", ")),
    column("MinPods", countAt("spec.minReplicas")),
    column("MaxPods", countAt("spec.maxReplicas"), "integer"),
    column("Replicas", countAt("status.currentReplicas"), "integer"),
    age,
  ],
  "poddisruptionbudgets.policy": [
    name,
    column("Min Available", (object) => shown(at(object, "spec.minAvailable"), "N/A")),
    column("Max Unavailable", (object) => shown(at(object, "spec.maxUnavailable"), "N/A")),
    column("Allowed Disruptions", countAt("status.disruptionsAllowed"), "integer"),
    age,
  ],
};

function completions(job: KubernetesObject): string {
  const wanted = at(job, "spec.completions");
  if (typeof wanted === "number") return String(wanted);
  const parallelism = numberAt(job, "spec.parallelism");
  return parallelism > 1 ? `1 of ${parallelism}` : "1";
}

function jobStatus(job: KubernetesObject): string {
  const conditions = listOf(at(job, "status.conditions")).map(recordOf);
  const holds = (wanted: string) => conditions.some(({ type, status }) => type === wanted && status === "True");
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (job.metadata.deletionTimestamp !== undefined) return "Terminating";
  return holds("Suspended") ? "Suspended" : "Running";
}

function duration(job: KubernetesObject, now: number): string {
  const start = Date.parse(textOf(at(job, "status.startTime")));
  if (Number.isNaN(start)) return "";
  const end = Date.parse(textOf(at(job, "status.completionTime")));
  return ageOf((Number.isNaN(end) ? now : end) - start);
}

/** Nobody measures here, so what is used is unknown. */
function targetOf(metric: unknown): string {
  const resource = at(metric, "resource") ?? at(metric, "containerResource");
  const percentage = at(resource, "target.averageUtilization");
  const wanted =
    percentage === undefined ? shown(at(resource, "target.averageValue"), "<auto>") : `${shown(percentage)}%`;
  return `${resource === undefined ? "" : `${textOf(at(resource, "name"))}: `}<unknown>/${wanted}`;
}
