import { type Condition, timestampOf } from "@/server/sandbox/objects/meta";
import { type Deployment, type DeploymentStatus, type ReplicaSet } from "@/server/sandbox/objects/workload";
import { rollingLimits } from "./deployment-plan";

export type DeploymentSeen = {
  deployment: Deployment;
  current: ReplicaSet | null;
  sets: readonly ReplicaSet[];
  created: boolean;
  collisionCount: number;
  now: number;
};

const sum = (sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number | undefined) =>
  sets.reduce((total, set) => total + (count(set) ?? 0), 0);

/** The status as the replica sets are, with the conditions Available, Progressing and ReplicaFailure. */
export function deploymentStatusOf(seen: DeploymentSeen): DeploymentStatus {
  const { deployment, current, sets, collisionCount } = seen;
  const available = sum(sets, ({ status }) => status?.availableReplicas);
  const counts = {
    replicas: sum(sets, ({ status }) => status?.replicas),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum(sets, ({ status }) => status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sum(sets, ({ spec }) => spec.replicas) - available),
  };
  const shown = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  const conditions = [
    availableCondition(seen, available),
    ...progressCondition(seen, counts),
    ...failureCondition(sets),
  ].map((condition) => dated(condition, seen));
  return {
    observedGeneration: deployment.metadata.generation,
    ...shown,
    ...(collisionCount > 0 ? { collisionCount } : {}),
    conditions,
  };
}

function availableCondition({ deployment }: DeploymentSeen, available: number): Condition {
  const enough = available >= (deployment.spec.replicas ?? 1) - rollingLimits(deployment).unavailable;
  return enough
    ? {
        type: "Available",
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      }
    : {
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      };
}

type Counts = { replicas: number; updatedReplicas: number; readyReplicas: number; availableReplicas: number };

function progressCondition(seen: DeploymentSeen, counts: Counts): Condition[] {
  const { deployment, current, created, now } = seen;
  const before = deployment.status?.conditions?.find(({ type }) => type === "Progressing");
  if (deployment.spec.paused)
    return [{ type: "Progressing", status: "Unknown", reason: "DeploymentPaused", message: "Deployment is paused" }];
  if (!current) return before ? [before] : [];
  const name = `"${current.metadata.name}"`;
  const replicas = deployment.spec.replicas ?? 1;
  const progressing = (reason: string, message: string): Condition[] => [
    { type: "Progressing", status: "True", reason, message },
  ];
  if (isComplete(counts, replicas))
    return progressing("NewReplicaSetAvailable", `ReplicaSet ${name} has successfully progressed.`);
  if (created) return progressing("NewReplicaSetCreated", `Created new replica set ${name}`);
  const old = deployment.status;
  const moved =
    counts.updatedReplicas > (old?.updatedReplicas ?? 0) ||
    counts.readyReplicas > (old?.readyReplicas ?? 0) ||
    counts.availableReplicas > (old?.availableReplicas ?? 0) ||
    counts.replicas - counts.updatedReplicas < (old?.replicas ?? 0) - (old?.updatedReplicas ?? 0);
  if (moved || !before) return progressing("ReplicaSetUpdated", `ReplicaSet ${name} is progressing.`);
  // A roll that was done and is disturbed again does not start a deadline of its own.
  if (before.reason === "NewReplicaSetAvailable") return [before];
  if (before.reason === "DeploymentPaused") return progressing("DeploymentResumed", "Deployment is resumed");
  if (before.reason === "ProgressDeadlineExceeded" || deadlineMs(deployment, before) <= now) {
    return [
      {
        type: "Progressing",
        status: "False",
        reason: "ProgressDeadlineExceeded",
        message: `ReplicaSet ${name} has timed out progressing.`,
      },
    ];
  }
  return [before];
}

function isComplete({ replicas, updatedReplicas, availableReplicas }: Counts, wanted: number): boolean {
  return updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted;
}

function deadlineMs({ spec }: Deployment, { lastUpdateTime }: Condition): number {
  return Date.parse(lastUpdateTime ?? "") + (spec.progressDeadlineSeconds ?? 600) * 1_000;
}

/** When the progress deadline passes, in milliseconds from now; undefined when none runs. */
export function deadlineIn(deployment: Deployment, now: number): number | undefined {
  const progressing = deployment.status?.conditions?.find(({ type }) => type === "Progressing");
  if (!progressing || progressing.status !== "True" || progressing.reason === "NewReplicaSetAvailable")
    return undefined;
  return Math.max(0, deadlineMs(deployment, progressing) - now) + 1_000;
}

function failureCondition(sets: readonly ReplicaSet[]): Condition[] {
  const failure = sets.flatMap(({ status }) => status?.conditions ?? []).find(({ type }) => type === "ReplicaFailure");
  return failure ? [{ type: "ReplicaFailure", status: "True", reason: failure.reason, message: failure.message }] : [];
}

function dated(condition: Condition, { deployment, now }: DeploymentSeen): Condition {
  const before = deployment.status?.conditions?.find(({ type }) => type === condition.type);
  const same =
    before?.status === condition.status && before.reason === condition.reason && before.message === condition.message;
  const { type, status, reason, message } = condition;
  return {
    type,
    status,
    lastUpdateTime: same ? before.lastUpdateTime : timestampOf(now),
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : timestampOf(now),
    reason,
    message,
  };
}
