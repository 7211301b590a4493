import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Cluster } from "@/server/sandbox/cluster";
import { isOver } from "@/server/sandbox/admission/quota-usage";
import { equalJson, isRecord, listOf, recordOf } from "@/server/sandbox/json";
import { type LabelSelector } from "@/server/sandbox/selector/label-selector";
import { StatusError } from "@/server/sandbox/status-error";

export const budgets = { group: "policy", plural: "poddisruptionbudgets" };
const pods = { group: "", plural: "pods" };
const ctx = {
  user: { username: "system:serviceaccount:kube-system:disruption-controller", groups: ["system:masters"] },
};

/** Keeps the status of PodDisruptionBudgets: how many pods are healthy, and how many may go. */
export function startDisruption(cluster: Cluster): () => void {
  const settle = (budget: KubernetesObject) => void writeStatus(cluster, budget);
  const settleIn = (namespace: string | undefined) =>
    cluster.list(budgets, namespace === undefined ? {} : { namespace }).forEach(settle);
  settleIn(undefined);
  const stops = [
    cluster.watch(budgets, ({ type, object }) => (type === "DELETED" ? undefined : settle(object))),
    cluster.watch(pods, ({ object }) => settleIn(object.metadata.namespace)),
  ];
  return () => stops.forEach((stop) => stop());
}

async function writeStatus(cluster: Cluster, budget: KubernetesObject): Promise<void> {
  if (equalJson(withoutTimes(budget.status), withoutTimes(statusOf(cluster, budget)))) return;
  const { namespace, name } = budget.metadata;
  try {
    await cluster.change(budgets, { namespace, name }, (old) => ({ ...old, status: statusOf(cluster, old) }), ctx, {
      subresource: "status",
    });
  } catch (error) {
    // Refused, or gone meanwhile: the next change of a pod comes by here again.
    if (!(error instanceof StatusError)) throw error;
  }
}

function withoutTimes(status: unknown): unknown {
  return {
    ...recordOf(status),
    conditions: listOf(recordOf(status)["conditions"]).map((condition) => recordOf(condition)["status"]),
  };
}

export function budgetSelector(budget: KubernetesObject): LabelSelector {
  return recordOf(budget.spec?.["selector"]); // Validated when it was written; an empty one selects all.
}

function statusOf(cluster: Cluster, budget: KubernetesObject): Record<string, unknown> {
  const { namespace = "", generation = 1 } = budget.metadata;
  const selected = cluster.list(pods, { namespace, selector: budgetSelector(budget) }).filter((pod) => !isOver(pod));
  const expectedPods = selected.length;
  const going = disruptedOf(cluster, budget);
  const currentHealthy = selected.filter(
    (pod) => isReady(pod) && !pod.metadata.deletionTimestamp && going[pod.metadata.name] === undefined,
  ).length;
  const desiredHealthy = desiredOf(budget, expectedPods);
  const disruptionsAllowed = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  return {
    ...(Object.keys(going).length > 0 ? { disruptedPods: going } : {}),
    conditions: conditionsOf(cluster, budget, disruptionsAllowed > 0, generation),
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed,
    expectedPods,
    observedGeneration: generation,
  };
}

/** Pods that were let go and are still there. */
function disruptedOf(cluster: Cluster, budget: KubernetesObject): Record<string, unknown> {
  const noted = Object.entries(recordOf(budget.status?.["disruptedPods"]));
  return Object.fromEntries(noted.filter(([name]) => cluster.get(pods, budget.metadata.namespace, name)));
}

function isReady(pod: KubernetesObject): boolean {
  return listOf(pod.status?.["conditions"])
    .filter(isRecord)
    .some(({ type, status }) => type === "Ready" && status === "True");
}

/** Percentages are rounded up, so that a small set is guarded rather than not. */
function desiredOf(budget: KubernetesObject, expected: number): number {
  const { minAvailable, maxUnavailable } = recordOf(budget.spec);
  if (minAvailable !== undefined) return Math.max(0, partOf(minAvailable, expected));
  return Math.max(0, expected - partOf(maxUnavailable ?? 1, expected));
}

function partOf(value: unknown, whole: number): number {
  return typeof value === "string" && value.endsWith("%")
    ? Math.ceil((Number(value.slice(0, -1)) * whole) / 100)
    : Number(value);
}

function conditionsOf(cluster: Cluster, budget: KubernetesObject, allowed: boolean, observedGeneration: number) {
  const status = allowed ? "True" : "False";
  const old = listOf(budget.status?.["conditions"])
    .map(recordOf)
    .find(({ type }) => type === "DisruptionAllowed");
  const lastTransitionTime =
    old?.["status"] === status
      ? old["lastTransitionTime"]
      : `${new Date(cluster.clock.now()).toISOString().slice(0, 19)}Z`;
  return [
    {
      type: "DisruptionAllowed",
      status,
      reason: allowed ? "SufficientPods" : "InsufficientPods",
      message: "",
      observedGeneration,
      lastTransitionTime,
    },
  ];
}
