import { type Condition, type Kept, type LabelSelector } from "./meta";
import { type PodTemplate } from "./pod";
import { type ClaimSpec } from "./storage";

type ClaimTemplate = {
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: ClaimSpec;
};

export type StatefulSet = Kept & {
  spec: {
    replicas?: number;
    serviceName?: string;
    selector: LabelSelector;
    template: PodTemplate;
    volumeClaimTemplates?: ClaimTemplate[];
    podManagementPolicy?: "OrderedReady" | "Parallel";
    updateStrategy?: {
      type?: "RollingUpdate" | "OnDelete";
      rollingUpdate?: { partition?: number; maxUnavailable?: number | string };
    };
    revisionHistoryLimit?: number;
    minReadySeconds?: number;
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: "Retain" | "Delete"; whenScaled?: "Retain" | "Delete" };
    ordinals?: { start?: number };
  };
  status?: StatefulSetStatus;
};
export type StatefulSetStatus = {
  observedGeneration?: number;
  replicas: number;
  readyReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  availableReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
  conditions?: Condition[];
};

export type ControllerRevision = Kept & {
  data: { spec: { template: PodTemplate & { $patch?: string } } };
  revision: number;
};

export type ReplicaSet = Kept & {
  spec: { replicas?: number; minReadySeconds?: number; selector: LabelSelector; template: PodTemplate };
  status?: ReplicaSetStatus;
};
export type ReplicaSetStatus = {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  observedGeneration?: number;
  conditions?: Condition[];
};

export type Deployment = Kept & {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    strategy?: {
      type?: "RollingUpdate" | "Recreate";
      rollingUpdate?: { maxSurge?: number | string; maxUnavailable?: number | string };
    };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    paused?: boolean;
    progressDeadlineSeconds?: number;
  };
  status?: DeploymentStatus;
};
export type DeploymentStatus = {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  collisionCount?: number;
  conditions?: Condition[];
};

export type FailureRule = {
  action: string;
  onExitCodes?: { containerName?: string | null; operator: string; values: number[] };
  onPodConditions?: { type: string; status?: string }[];
};
export type Job = Kept & {
  spec: {
    parallelism?: number;
    completions?: number;
    backoffLimit?: number;
    activeDeadlineSeconds?: number;
    ttlSecondsAfterFinished?: number;
    completionMode?: "NonIndexed" | "Indexed";
    suspend?: boolean;
    selector?: LabelSelector;
    template: PodTemplate;
    podFailurePolicy?: { rules: FailureRule[] };
  };
  status?: JobStatus;
};
export type JobStatus = {
  conditions?: Condition[];
  startTime?: string;
  completionTime?: string;
  active?: number;
  ready?: number;
  succeeded?: number;
  failed?: number;
  terminating?: number;
  completedIndexes?: string;
  uncountedTerminatedPods?: Record<string, never>;
};
