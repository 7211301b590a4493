import { type EngineClass } from "@/machines/firebolt/engine-class.schema";
import { type Engine } from "@/machines/firebolt/engine.schema";
import { type Container } from "@/machines/firebolt/pod-template.schema";
import { type EngineSettings } from "./engine-settings";
import { annotations, generationLabels, generationNames } from "./generation-names";
import { pullPolicyOf } from "./pull-policy";
import { type MergedTemplate, mergeTemplates } from "./template-merge";

export const enginePorts = { query: 3473, health: 8122, metrics: 9090 } as const;

/** The pod template of one generation: our layer, the class's, the engine's. */
export function enginePodTemplate(
  engine: Engine,
  engineClass: EngineClass | null,
  settings: EngineSettings,
  generation: number,
): MergedTemplate {
  const merged = mergeTemplates(
    operatorLayer(engine, settings, generation),
    "engine",
    engineClass?.spec.template,
    engine.spec.template,
  );
  const containers = merged.spec.containers.map((container) =>
    ours.has(container.name)
      ? // After the merge: the policy follows from the image that won.
        { ...container, imagePullPolicy: container.imagePullPolicy ?? pullPolicyOf(container.image ?? "") }
      : container,
  );
  return { ...merged, spec: { ...merged.spec, containers } };
}

const ours = new Set(["engine", "engine-web"]);

function operatorLayer(engine: Engine, settings: EngineSettings, generation: number): MergedTemplate {
  const restartedAt = engine.metadata.annotations[annotations.restartedAt];
  return {
    metadata: {
      labels: generationLabels(engine.metadata.name, generation),
      annotations: restartedAt === undefined ? {} : { [annotations.restartedAt]: restartedAt },
    },
    spec: {
      terminationGracePeriodSeconds: 60,
      enableServiceLinks: false,
      securityContext: {
        runAsUser: 3473,
        runAsGroup: 3473,
        runAsNonRoot: true,
        fsGroup: 3473,
        fsGroupChangePolicy: "OnRootMismatch",
      },
      containers: [engineContainer, ...(settings.uiSidecar ? [uiContainer] : [])],
      volumes: [
        { name: "engine-config", configMap: { name: generationNames(engine.metadata.name, generation).configMap } },
        { name: "runtime", emptyDir: {} },
        ...dataVolume(settings),
      ],
    },
  };
}

/** A claimed volume is the StatefulSet's: it comes from a claim template of the same name. */
function dataVolume({ storage }: EngineSettings) {
  if (storage.persistentVolumeClaim) return [];
  if (storage.hostPath) return [{ name: "data", hostPath: storage.hostPath }];
  return [{ name: "data", emptyDir: storage.emptyDir ?? {} }];
}

const hardened = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

function probe(path: string, port: string, timing: Record<string, number>) {
  return { httpGet: { path, port }, ...timing };
}

/** Before Kubernetes 1.28 no pod has the label that its number could come from; its name has always ended with it. */
const startScript = [
  '[ -n "$POD_INDEX" ] || export POD_INDEX="${HOSTNAME##*-}"',
  'exec /opt/firebolt/firebolt server --node "$POD_INDEX" --data-dir /var/lib/firebolt',
].join("\n");

export const engineContainer: Container = {
  name: "engine",
  image: "ghcr.io/firebolt-db/engine:latest",
  ports: [
    { name: "http-query", containerPort: enginePorts.query, protocol: "TCP" },
    { name: "health", containerPort: enginePorts.health, protocol: "TCP" },
    { name: "metrics", containerPort: enginePorts.metrics, protocol: "TCP" },
  ],
  command: ["/bin/sh", "-c"],
  args: [startScript],
  env: [
    {
      name: "POD_INDEX",
      valueFrom: { fieldRef: { fieldPath: "metadata.labels['apps.kubernetes.io/pod-index']" } },
    },
    { name: "FB_AWS_EC2_METADATA_CLIENT_ENABLED", value: "true" },
  ],
  readinessProbe: probe("/health/ready", "health", {
    initialDelaySeconds: 1,
    periodSeconds: 3,
    timeoutSeconds: 3,
    failureThreshold: 6,
  }),
  livenessProbe: probe("/health/live", "health", {
    initialDelaySeconds: 2,
    periodSeconds: 5,
    timeoutSeconds: 3,
    failureThreshold: 6,
  }),
  startupProbe: probe("/health/live", "health", { periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 30 }),
  securityContext: hardened,
  volumeMounts: [
    { name: "data", mountPath: "/var/lib/firebolt" },
    { name: "engine-config", mountPath: "/var/lib/firebolt/config.yaml", subPath: "config.yaml", readOnly: true },
    { name: "runtime", mountPath: "/run/firebolt" },
  ],
};

const uiContainer: Container = {
  name: "engine-web",
  image: "ghcr.io/firebolt-db/engine-web:latest",
  ports: [{ name: "web-ui", containerPort: 9100, protocol: "TCP" }],
  readinessProbe: probe("/", "web-ui", {
    initialDelaySeconds: 1,
    periodSeconds: 3,
    timeoutSeconds: 2,
    failureThreshold: 3,
  }),
  resources: { requests: { cpu: "25m", memory: "128Mi" } },
  securityContext: hardened,
};
