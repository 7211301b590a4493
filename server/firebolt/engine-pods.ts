import { controllerOf, type KubernetesObject } from "@/server/kubernetes/object";

/** The pods of one generation: those that are there to stay, and how many of them serve. */
export type PodCount = { total: number; ready: number };

export function countPods(pods: readonly KubernetesObject[]): PodCount {
  const staying = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  return { total: staying.length, ready: staying.filter(isServing).length };
}

/**
 * Those that this very StatefulSet has made. Pods of one that had the same name, of a deleted engine or of a spec that
 * nobody wants any more, carry the same labels until they are collected.
 */
export function podsMadeBy(
  statefulSet: KubernetesObject | null,
  pods: readonly KubernetesObject[],
): KubernetesObject[] {
  const uid = statefulSet?.metadata.uid;
  return uid === undefined ? [] : pods.filter((pod) => controllerOf(pod)?.uid === uid);
}

function isServing(pod: KubernetesObject): boolean {
  const conditions = Array.isArray(pod.status?.conditions) ? (pod.status.conditions as unknown[]) : [];
  const ready = conditions.some((condition) => isReadyCondition(condition) && condition.status === "True");
  return pod.status?.phase === "Running" && ready;
}

function isReadyCondition(condition: unknown): condition is { type: string; status: string } {
  return (
    typeof condition === "object" &&
    condition !== null &&
    "type" in condition &&
    condition.type === "Ready" &&
    "status" in condition
  );
}
