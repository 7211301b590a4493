import { feldera } from "@/machines/feldera/family";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";
import type { KubernetesObject, ObjectMeta } from "@/server/kubernetes/object";
import { deployedRuntimeConfig } from "./deployment-config";
import type { FelderaOptions } from "./feldera-options";
import { COMPILER, labels, PIPELINE_PORT, pipelineId, pipelineNames, type Stage } from "./pipeline-names";

const MILLI = 1000;
/** What the stand-in needs; a real pipeline names its own under runtime_config.resources. */
const USUAL = { cpuCores: 0.05, memoryMb: 64 };

export function claimOf(pipeline: Pipeline, options: FelderaOptions): KubernetesObject {
  const { resources } = deployedRuntimeConfig(pipeline);
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: metadataOf(pipeline, pipelineNames.claim(pipeline.metadata.name), "storage"),
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: `${resources?.storage_mb_max ?? options.storageMb}Mi` } },
      ...(resources?.storage_class && { storageClassName: resources.storage_class }),
    },
  };
}

export function configMapOf(pipeline: Pipeline, options: FelderaOptions): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadataOf(pipeline, pipelineNames.config(pipeline.metadata.name), "compute"),
    data: { "config.json": JSON.stringify(pipeline.status.deployment_config ?? {}), ...options.scripts.pipeline },
  };
}

export function serviceOf(pipeline: Pipeline): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadataOf(pipeline, pipelineNames.compute(pipeline.metadata.name), "compute"),
    spec: {
      clusterIP: "None",
      selector: podLabels(pipeline),
      ports: [{ name: "http", port: PIPELINE_PORT, targetPort: PIPELINE_PORT, protocol: "TCP" }],
      publishNotReadyAddresses: true,
    },
  };
}

export function statefulSetOf(pipeline: Pipeline, options: FelderaOptions): KubernetesObject {
  const { name } = pipeline.metadata;
  const { resources, env } = deployedRuntimeConfig(pipeline);
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: metadataOf(pipeline, pipelineNames.compute(name), "compute"),
    spec: {
      replicas: 1,
      serviceName: pipelineNames.compute(name),
      selector: { matchLabels: podLabels(pipeline) },
      template: {
        metadata: { labels: podLabels(pipeline) },
        spec: {
          // A process that is asked to end has made its checkpoint already, or is not wanted to.
          terminationGracePeriodSeconds: 1,
          ...(resources?.service_account_name && { serviceAccountName: resources.service_account_name }),
          containers: [
            {
              name: "pipeline",
              image: options.pipelineImage,
              imagePullPolicy: "IfNotPresent",
              ...(options.scripts.pipeline && { command: ["node", "/config/pipeline.mjs"] }),
              env: [
                { name: "FELDERA_PIPELINE_NAME", value: name },
                { name: "FELDERA_DEPLOYMENT_ID", value: pipeline.status.deployment_id ?? "" },
                { name: "FELDERA_INITIAL", value: (pipeline.status.deployment_initial ?? "Running").toLowerCase() },
                ...Object.entries(env ?? {}).map(([key, value]) => ({ name: key, value })),
              ],
              ports: [{ name: "http", containerPort: PIPELINE_PORT, protocol: "TCP" }],
              readinessProbe: {
                httpGet: { path: "/healthz", port: PIPELINE_PORT },
                periodSeconds: 1,
                timeoutSeconds: 1,
                failureThreshold: 3,
              },
              resources: {
                requests: requestsOf(resources),
                ...limitsOf(resources),
              },
              volumeMounts: [
                { name: "config", mountPath: "/config" },
                { name: "storage", mountPath: "/storage" },
              ],
            },
          ],
          volumes: [
            { name: "config", configMap: { name: pipelineNames.config(name) } },
            { name: "storage", persistentVolumeClaim: { claimName: pipelineNames.claim(name) } },
          ],
        },
      },
    },
  };
}

export function programConfigMapOf(pipeline: Pipeline, version: number, options: FelderaOptions): KubernetesObject {
  const { program_code, udf_rust, udf_toml, program_config } = pipeline.spec;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadataOf(pipeline, pipelineNames.program(pipeline.metadata.name, version), "program", version),
    data: {
      "program.sql": program_code,
      "udf.rs": udf_rust,
      "udf.toml": udf_toml,
      "config.json": JSON.stringify(program_config),
      ...options.scripts.compiler,
    },
  };
}

export function compileJobObject(
  pipeline: Pipeline,
  { stage, version }: { stage: Stage; version: number },
  options: FelderaOptions,
): KubernetesObject {
  const { name } = pipeline.metadata;
  const container = {
    name: COMPILER,
    image: options.compilerImage,
    imagePullPolicy: "IfNotPresent",
    ...(options.scripts.compiler && { command: ["node", "/program/sql-compiler.mjs"] }),
    args: [stage],
    env: [
      { name: "FELDERA_PIPELINE_ID", value: pipelineId(pipeline) },
      { name: "FELDERA_PIPELINE_NAME", value: name },
      { name: "FELDERA_PROGRAM_VERSION", value: String(version) },
    ],
    resources: { requests: { cpu: "50m", memory: "64Mi" } },
    volumeMounts: [{ name: "program", mountPath: "/program" }],
    terminationMessagePolicy: "File",
  };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: metadataOf(pipeline, pipelineNames.job(name, stage, version), stage, version),
    spec: {
      // A compiler that is killed is tried again; one that reports errors ends with success and says so.
      backoffLimit: 3,
      completions: 1,
      parallelism: 1,
      template: {
        metadata: { labels: { [labels.pipeline]: name, [labels.role]: stage } },
        spec: {
          restartPolicy: "Never",
          terminationGracePeriodSeconds: 1,
          containers: [container],
          volumes: [{ name: "program", configMap: { name: pipelineNames.program(name, version) } }],
        },
      },
    },
  };
}

/** Never more than the limit: the API server refuses such a pod. */
function requestsOf(resources: Pipeline["spec"]["runtime_config"]["resources"]) {
  const cores = resources?.cpu_cores_min ?? Math.min(USUAL.cpuCores, resources?.cpu_cores_max || Infinity);
  const memoryMb = resources?.memory_mb_min ?? Math.min(USUAL.memoryMb, resources?.memory_mb_max || Infinity);
  return { cpu: `${Math.round(cores * MILLI)}m`, memory: `${memoryMb}Mi` };
}

function limitsOf(resources: Pipeline["spec"]["runtime_config"]["resources"]) {
  const limits = {
    ...(resources?.cpu_cores_max && { cpu: `${Math.round(resources.cpu_cores_max * MILLI)}m` }),
    ...(resources?.memory_mb_max && { memory: `${resources.memory_mb_max}Mi` }),
  };
  return Object.keys(limits).length > 0 ? { limits } : {};
}

function podLabels(pipeline: Pipeline) {
  return { [labels.pipeline]: pipeline.metadata.name, [labels.role]: "process" };
}

function metadataOf(pipeline: Pipeline, name: string, role: string, version?: number): ObjectMeta {
  const { api } = feldera.kinds.pipeline;
  return {
    name,
    namespace: pipeline.metadata.namespace,
    labels: {
      [labels.pipeline]: pipeline.metadata.name,
      [labels.role]: role,
      ...(version !== undefined && { [labels.programVersion]: String(version) }),
    },
    ownerReferences: [
      {
        apiVersion: `${api.group}/${api.version}`,
        kind: api.kind,
        name: pipeline.metadata.name,
        uid: pipeline.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  };
}
