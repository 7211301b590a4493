import { type KubernetesObject } from "@/server/kubernetes/object";
import { listOf, recordOf, textOf } from "@/server/sandbox/json";
import { age, at, column, name, since, textAt, wide } from "@/server/sandbox/table/cells";
import { type Column } from "@/server/sandbox/type-registry";

export const podColumns: readonly Column[] = [
  name,
  column(
    "Ready",
    (pod) =>
      `${statuses(pod, "containerStatuses").filter(({ ready }) => ready === true).length}/${listOf(at(pod, "spec.containers")).length}`,
  ),
  column("Status", podStatus),
  column("Restarts", restarts),
  age,
  wide("IP", textAt("status.podIP", "<none>")),
  wide("Node", textAt("spec.nodeName", "<none>")),
  wide("Nominated Node", textAt("status.nominatedNodeName", "<none>")),
  wide("Readiness Gates", (pod) => readinessGates(pod)),
];

type ContainerStatus = Record<string, unknown>;

function statuses(pod: KubernetesObject, field: string): ContainerStatus[] {
  return listOf(at(pod, `status.${field}`)).map(recordOf);
}

/** One word for how a pod is: its phase, or what its containers wait for or died of, or that it is going. */
function podStatus(pod: KubernetesObject): string {
  const phase = textOf(at(pod, "status.phase"));
  const reason = textOf(at(pod, "status.reason")) || phase;
  const initial = initStatus(pod);
  const shown = initial ?? containerStatus(pod, reason);
  if (pod.metadata.deletionTimestamp === undefined) return shown;
  if (reason === "NodeLost") return "Unknown";
  return phase === "Succeeded" || phase === "Failed" ? shown : "Terminating";
}

function initStatus(pod: KubernetesObject): string | null {
  const total = listOf(at(pod, "spec.initContainers")).length;
  for (const [i, { state }] of statuses(pod, "initContainerStatuses").entries()) {
    const { terminated, waiting } = recordOf(state);
    if (terminated !== undefined && recordOf(terminated)["exitCode"] === 0) continue;
    if (terminated !== undefined) return `Init:${endedBy(recordOf(terminated))}`;
    const why = textOf(recordOf(waiting)["reason"]);
    return why !== "" && why !== "PodInitializing" ? `Init:${why}` : `Init:${i}/${total}`;
  }
  return null;
}

function containerStatus(pod: KubernetesObject, phase: string): string {
  let shown = phase;
  let running = false;
  for (const { state, ready } of statuses(pod, "containerStatuses").reverse()) {
    const { waiting, terminated, running: runs } = recordOf(state);
    const why = textOf(recordOf(waiting)["reason"]);
    if (why !== "") shown = why;
    else if (terminated !== undefined) shown = endedBy(recordOf(terminated));
    else if (ready === true && runs !== undefined) running = true;
  }
  if (shown !== "Completed" || !running) return shown;
  const conditions = listOf(at(pod, "status.conditions")).map(recordOf);
  return conditions.some(({ type, status }) => type === "Ready" && status === "True") ? "Running" : "NotReady";
}

function endedBy({ reason, signal, exitCode }: Record<string, unknown>): string {
  if (textOf(reason) !== "") return textOf(reason);
  return typeof signal === "number" && signal !== 0 ? `Signal:${signal}` : `ExitCode:${String(exitCode)}`;
}

function restarts(pod: KubernetesObject, now: number): string {
  const all = statuses(pod, "containerStatuses");
  const count = all.reduce((sum, { restartCount }) => sum + (typeof restartCount === "number" ? restartCount : 0), 0);
  const last = all
    .map(({ lastState }) => textOf(at(lastState, "terminated.finishedAt")))
    .sort()
    .at(-1);
  return count > 0 && last ? `${count} (${since(last, now)} ago)` : String(count);
}

function readinessGates(pod: KubernetesObject): string {
  const gates = listOf(at(pod, "spec.readinessGates")).map((gate) => textOf(recordOf(gate)["conditionType"]));
  if (gates.length === 0) return "<none>";
  const conditions = listOf(at(pod, "status.conditions")).map(recordOf);
  const met = gates.filter((gate) => conditions.some(({ type, status }) => type === gate && status === "True"));
  return `${met.length}/${gates.length}`;
}
