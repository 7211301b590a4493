import { availableInMs, isFinished, isReady, isTerminating, type Pod } from "@/server/sandbox/objects/pod";
import { type StatefulSet, type StatefulSetStatus } from "@/server/sandbox/objects/workload";
import { PODS_PER_PASS } from "./owned-pods";
import { revisionOf } from "./revisions";
import { ordinalOf } from "./stateful-pods";

/** What a set looks like at one moment. `current` and `update` are the names of its revisions. */
export type StatefulSeen = { set: StatefulSet; pods: readonly Pod[]; current: string; update: string; now: number };

export type StatefulStep =
  | { do: "create"; ordinal: number; revision: string }
  | { do: "delete"; pod: Pod; recreate: boolean }
  | { do: "ensureClaims"; ordinal: number };

/** The steps of one pass, in the order in which they are to be tried; a step that fails ends the pass. */
export function planStatefulSet(seen: StatefulSeen): StatefulStep[] {
  const { set } = seen;
  if (set.metadata.deletionTimestamp !== undefined) return [];
  const monotonic = set.spec.podManagementPolicy !== "Parallel";
  const { replicas, condemned } = places(seen);
  const steps: StatefulStep[] = [];

  for (const { ordinal, pod } of replicas) {
    const step = replicaStep(seen, ordinal, pod);
    if (step) steps.push(step);
    if (pod?.status?.phase === "Pending") steps.push({ do: "ensureClaims", ordinal });
    if (monotonic && !(pod && isAvailable(pod, seen))) return steps;
  }

  const firstUnhealthy = [...replicas.map(({ pod }) => pod), ...condemned.toReversed()].find(
    (pod) => pod && !isHealthy(pod),
  );
  for (const pod of condemned) {
    if (isTerminating(pod)) {
      if (monotonic) return steps;
      continue;
    }
    // Scaling down waits for the rest to be well, unless this pod is what is not.
    if (monotonic && !isAvailable(pod, seen) && pod !== firstUnhealthy) return steps;
    steps.push({ do: "delete", pod, recreate: false });
    if (monotonic) return steps;
  }
  return [...steps, ...rollStep(seen, replicas)];
}

type Place = { ordinal: number; pod: Pod | undefined };

/** The pods by place: one place for each replica, in order, and those that are too many, highest first. */
export function places({ set, pods }: StatefulSeen): { replicas: Place[]; condemned: Pod[] } {
  const start = set.spec.ordinals?.start ?? 0;
  const end = start + (set.spec.replicas ?? 1);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
  // Most of a set that asks for millions is empty: a pass fills some of it, and the next one finds more pods.
  const shown = Math.min(end - start, pods.length + PODS_PER_PASS);
  const replicas = Array.from({ length: shown }, (_, index) => ({
    ordinal: start + index,
    pod: byOrdinal.get(start + index),
  }));
  const condemned = pods
    .filter((pod) => ordinalOf(set, pod) >= 0 && (ordinalOf(set, pod) < start || ordinalOf(set, pod) >= end))
    .toSorted((a, b) => ordinalOf(set, b) - ordinalOf(set, a));
  return { replicas, condemned };
}

function replicaStep(seen: StatefulSeen, ordinal: number, pod: Pod | undefined): StatefulStep | null {
  if (!pod) return { do: "create", ordinal, revision: revisionFor(seen, ordinal) };
  if (isFinished(pod) && !isTerminating(pod)) return { do: "delete", pod, recreate: true };
  return null;
}

/** A pod below the partition, or one that the roll has not reached yet, comes back as it was. */
function revisionFor({ set, current, update }: StatefulSeen, ordinal: number): string {
  const start = set.spec.ordinals?.start ?? 0;
  const partition = set.spec.updateStrategy?.rollingUpdate?.partition;
  if (set.spec.updateStrategy?.type === "OnDelete") return update;
  if (partition === undefined) return ordinal < start + (set.status?.currentReplicas ?? 0) ? current : update;
  return ordinal < start + partition ? current : update;
}

/** At most one outdated pod goes at a time, from the highest ordinal down to the partition, while all above are well. */
function rollStep(seen: StatefulSeen, replicas: readonly Place[]): StatefulStep[] {
  const { set, update } = seen;
  if (set.spec.updateStrategy?.type === "OnDelete") return [];
  const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  for (const { pod } of replicas.slice(partition).toReversed()) {
    if (!pod) return [];
    if (revisionOf(pod) !== update && !isTerminating(pod)) return [{ do: "delete", pod, recreate: false }];
    if (!isAvailable(pod, seen)) return [];
  }
  return [];
}

function isHealthy(pod: Pod): boolean {
  return pod.status?.phase === "Running" && isReady(pod) && !isTerminating(pod);
}

function isAvailable(pod: Pod, { set, now }: StatefulSeen): boolean {
  return isHealthy(pod) && availableInMs(pod, set.spec.minReadySeconds ?? 0, now) === 0;
}

/** The status as the pods are; a roll that has reached every pod makes the new revision the current one. */
export function statefulStatus(seen: StatefulSeen, collisionCount: number): StatefulSetStatus {
  const { set, pods, update } = seen;
  const created = pods.filter((pod) => ordinalOf(set, pod) >= 0);
  const running = created.filter((pod) => pod.status?.phase === "Running" && isReady(pod));
  const staying = created.filter((pod) => !isTerminating(pod));
  const onRevision = (name: string) => staying.filter((pod) => revisionOf(pod) === name).length;
  const status: StatefulSetStatus = {
    observedGeneration: set.metadata.generation,
    replicas: created.length,
    readyReplicas: running.length,
    availableReplicas: running.filter((pod) => availableInMs(pod, set.spec.minReadySeconds ?? 0, seen.now) === 0)
      .length,
    currentReplicas: onRevision(seen.current),
    updatedReplicas: onRevision(update),
    currentRevision: seen.current,
    updateRevision: update,
    collisionCount,
    conditions: set.status?.conditions,
  };
  const rolling = set.spec.updateStrategy?.type !== "OnDelete";
  const done = status.updatedReplicas === status.replicas && status.readyReplicas === status.replicas;
  return rolling && done ? { ...status, currentReplicas: status.updatedReplicas, currentRevision: update } : status;
}
