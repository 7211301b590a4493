import { type Condition, type Kept, type LabelSelector } from "./meta";

export type Pod = Kept & { spec: PodSpec; status?: PodStatus };

type PodSpec = {
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  affinity?: Affinity;
  tolerations?: Toleration[];
  containers: Container[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  volumes?: Volume[];
  restartPolicy?: "Always" | "OnFailure" | "Never";
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  hostname?: string;
  subdomain?: string;
  hostNetwork?: boolean;
  serviceAccountName?: string;
  schedulerName?: string;
  readinessGates?: { conditionType: string }[];
  topologySpreadConstraints?: {
    maxSkew: number;
    topologyKey: string;
    whenUnsatisfiable: string;
    labelSelector?: LabelSelector;
  }[];
  priority?: number;
  overhead?: Record<string, string>;
};

export type PodTemplate = {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: PodSpec;
};

export type Container = {
  name: string;
  image: string;
  imagePullPolicy?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  env?: EnvVar[];
  envFrom?: EnvFrom[];
  ports?: { name?: string; containerPort: number; protocol?: string; hostPort?: number }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  volumeMounts?: { name: string; mountPath: string; subPath?: string; readOnly?: boolean }[];
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: { preStop?: Action; postStart?: Action };
  restartPolicy?: string;
  terminationMessagePath?: string;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
};

type KeyRef = { name: string; key: string; optional?: boolean };
export type EnvVar = {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: { fieldPath: string };
    resourceFieldRef?: { containerName?: string; resource: string };
    configMapKeyRef?: KeyRef;
    secretKeyRef?: KeyRef;
  };
};
type EnvFrom = {
  prefix?: string;
  configMapRef?: { name: string; optional?: boolean };
  secretRef?: { name: string; optional?: boolean };
};

export type Action = {
  exec?: { command?: string[] };
  httpGet?: {
    path?: string;
    port: number | string;
    host?: string;
    scheme?: string;
    httpHeaders?: { name: string; value: string }[];
  };
  tcpSocket?: { port: number | string; host?: string };
  grpc?: { port: number };
  sleep?: { seconds: number };
};
export type Probe = Action & {
  initialDelaySeconds?: number;
  periodSeconds?: number;
  timeoutSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
};

type KeyToPath = { key: string; path: string; mode?: number };
type DownwardItem = {
  path: string;
  fieldRef?: { fieldPath: string };
  resourceFieldRef?: { containerName?: string; resource: string };
};
export type VolumeSource = {
  configMap?: { name?: string; items?: KeyToPath[]; optional?: boolean; defaultMode?: number };
  secret?: { secretName?: string; name?: string; items?: KeyToPath[]; optional?: boolean; defaultMode?: number };
  downwardAPI?: { items?: DownwardItem[] };
  serviceAccountToken?: { path: string; audience?: string; expirationSeconds?: number };
};
export type Volume = VolumeSource & {
  name: string;
  emptyDir?: { medium?: string; sizeLimit?: string };
  hostPath?: { path: string };
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  projected?: { sources?: VolumeSource[] };
  ephemeral?: {
    volumeClaimTemplate: { metadata?: { labels?: Record<string, string> }; spec: Record<string, unknown> };
  };
};

export type Toleration = {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
};
type NodeTerm = {
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
  matchFields?: { key: string; operator: string; values?: string[] }[];
};
export type PodAffinityTerm = { labelSelector?: LabelSelector; topologyKey: string; namespaces?: string[] };
type Affinity = {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeTerm[] };
    preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeTerm }[];
  };
  podAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] };
  podAntiAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
    preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodAffinityTerm }[];
  };
};

export type ContainerState = {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: Terminated;
};
export type Terminated = {
  exitCode: number;
  signal?: number;
  reason: string;
  message?: string;
  startedAt: string | null;
  finishedAt: string | null;
  containerID?: string;
};
export type ContainerStatus = {
  name: string;
  state: ContainerState;
  lastState: ContainerState;
  ready: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  containerID?: string;
  started?: boolean;
};
export type PodStatus = {
  phase?: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
  conditions?: Condition[];
  reason?: string;
  message?: string;
  hostIP?: string;
  hostIPs?: { ip: string }[];
  podIP?: string;
  podIPs?: { ip: string }[];
  startTime?: string;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
  ephemeralContainerStatuses?: ContainerStatus[];
  qosClass?: string;
  nominatedNodeName?: string;
  observedGeneration?: number;
};

export function isReady(pod: Pod): boolean {
  return (
    pod.status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") ?? false
  );
}

export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** Neither finished nor on its way out: what replica counts count. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}

/** Ready for at least `minReadySeconds`; else in how many milliseconds it will be, null when it is not ready at all. */
export function availableInMs(pod: Pod, minReadySeconds: number, now: number): number | null {
  const ready = pod.status?.conditions?.find((condition) => condition.type === "Ready" && condition.status === "True");
  if (!ready) return null;
  if (minReadySeconds === 0) return 0;
  return Math.max(0, Date.parse(ready.lastTransitionTime ?? "") + minReadySeconds * 1_000 - now);
}
