import { type EngineClass } from "@/machines/firebolt/engine-class.schema";
import { type Engine } from "@/machines/firebolt/engine.schema";
import { type KubernetesObject, type OwnerReference } from "@/server/kubernetes/object";
import { engineConfig } from "./engine-config";
import { enginePodTemplate, enginePorts } from "./engine-pod";
import { type EngineSettings } from "./engine-settings";
import { annotations, clusterServiceName, generationLabels, generationNames } from "./generation-names";
import { stableHash } from "./stable-hash";

/** The StatefulSet that one generation of the engine should have. */
export function engineStatefulSet(
  engine: Engine,
  engineClass: EngineClass | null,
  settings: EngineSettings,
  generation: number,
): KubernetesObject {
  const { name } = engine.metadata;
  const names = generationNames(name, generation);
  const spec = {
    replicas: engine.spec.replicas,
    serviceName: names.headlessService,
    podManagementPolicy: "Parallel",
    selector: { matchLabels: generationLabels(name, generation) },
    template: enginePodTemplate(engine, engineClass, settings, generation),
    ...claimTemplates(settings),
  };
  const hashes = contentHashes(settings, engineClass);
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {
      ...ownedMeta(engine, names.statefulSet, generationLabels(name, generation)),
      annotations: { ...hashes, [annotations.desiredHash]: stableHash([spec, hashes]) },
    },
    spec,
  };
}

/** For inputs that the StatefulSet does not show field by field. */
function contentHashes(settings: EngineSettings, engineClass: EngineClass | null): Record<string, string> {
  return {
    [annotations.configHash]: stableHash(settings.customConfig),
    ...(engineClass && { [annotations.classHash]: stableHash(engineClass.spec.template) }),
  };
}

function claimTemplates({ storage: { persistentVolumeClaim: claim } }: EngineSettings) {
  if (!claim) return {};
  const { accessModes, size, storageClassName } = claim;
  const spec = {
    accessModes,
    resources: { requests: { storage: size } },
    ...(storageClassName !== undefined && { storageClassName }),
  };
  return { volumeClaimTemplates: [{ metadata: { name: "data" }, spec }] };
}

export function engineConfigMap(
  engine: Engine,
  settings: EngineSettings,
  generation: number,
  instance: { id: string; metadataEndpoint: string },
): KubernetesObject {
  const { name, namespace } = engine.metadata;
  const config = engineConfig({
    engine: { name, namespace, replicas: engine.spec.replicas },
    generation,
    instance,
    custom: settings.customConfig,
  });
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: ownedMeta(engine, generationNames(name, generation).configMap, generationLabels(name, generation)),
    // JSON is YAML, and its writer has no way to fail on plain values.
    data: { "config.yaml": `${JSON.stringify(config, null, 2)}\n` },
  };
}

/** Names for the pods of one generation, which they need of each other before they are ready. */
export function headlessService(engine: Engine, generation: number): KubernetesObject {
  const { name } = engine.metadata;
  const selector = generationLabels(name, generation);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: ownedMeta(engine, generationNames(name, generation).headlessService, selector),
    spec: { clusterIP: "None", publishNotReadyAddresses: true, selector, ports: servicePorts },
  };
}

/** The Service that all generations share; whom it selects serves. */
export function clusterService(engine: Engine, generation: number): KubernetesObject {
  const { name } = engine.metadata;
  const selector = generationLabels(name, generation);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: ownedMeta(engine, clusterServiceName(name), selector),
    spec: {
      clusterIP: "None",
      publishNotReadyAddresses: false,
      selector,
      ports: servicePorts,
    },
  };
}

const servicePorts = [
  { name: "http-query", port: enginePorts.query, targetPort: "http-query", protocol: "TCP" },
  { name: "health", port: enginePorts.health, targetPort: "health", protocol: "TCP" },
  { name: "metrics", port: enginePorts.metrics, targetPort: "metrics", protocol: "TCP" },
];

function ownedMeta(engine: Engine, name: string, ownLabels: Record<string, string>) {
  return {
    name,
    namespace: engine.metadata.namespace,
    labels: ownLabels,
    ownerReferences: [ownerReference(engine)],
  };
}

export function ownerReference({
  apiVersion,
  kind,
  metadata,
}: Pick<Engine, "apiVersion" | "kind" | "metadata">): OwnerReference {
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}
