import { posix } from "node:path";
import { type Container, type PodTemplate } from "@/machines/firebolt/pod-template.schema";
import { engineContainer } from "./engine-pod";
import { type FieldFault } from "./field-rule";

/** What an engine's or a class's template may not set, because the pods of an engine depend on it. */
export function engineTemplateFaults(template: PodTemplate | undefined, path: string): FieldFault[] {
  if (!template) return [];
  const containers = template.spec?.containers ?? [];
  const engines = containers.filter(({ name }) => name === "engine");
  return [
    ...metadataFaults(template, path),
    ...ownedFaults(template.spec ?? {}, ownedPodFields, `${path}.spec`),
    ...engines.flatMap((engine) => engineContainerFaults(engine, `${path}.spec.containers[engine]`)),
    ...(engines.length > 1 ? [{ path: `${path}.spec.containers`, message: 'only one container "engine"' }] : []),
    ...containers.flatMap((container) => sidecarFaults(container, `${path}.spec.containers[${container.name}]`)),
    ...(template.spec?.initContainers ?? []).flatMap((container) =>
      initFaults(container, `${path}.spec.initContainers[${container.name}]`),
    ),
    ...(template.spec?.volumes ?? [])
      .filter(({ name }) => reservedVolumes.has(name))
      .map(({ name }) => ({ path: `${path}.spec.volumes[${name}]`, message: "the name is the operator's" })),
  ];
}

/** The instance's own pods: only these parts of their one container may be chosen. */
export function componentTemplateFaults(
  template: PodTemplate | undefined,
  primary: string,
  path: string,
): FieldFault[] {
  if (!template) return [];
  const primaries = (template.spec?.containers ?? []).filter(({ name }) => name === primary);
  return [
    ...metadataFaults(template, path),
    ...ownedFaults(template.spec ?? {}, ownedPodFields, `${path}.spec`),
    ...primaries.flatMap((container) =>
      Object.keys(container)
        .filter((field) => !primaryFields.has(field))
        .map((field) => owned(`${path}.spec.containers[${primary}].${field}`)),
    ),
  ];
}

const primaryFields = new Set(["name", "image", "imagePullPolicy", "resources"]);

const ownedPodFields = [
  "terminationGracePeriodSeconds",
  "subdomain",
  "hostname",
  "restartPolicy",
  "activeDeadlineSeconds",
  "hostNetwork",
  "hostPID",
  "hostIPC",
  "shareProcessNamespace",
  "hostUsers",
];

const ownedEngineFields = [
  "command",
  "args",
  "ports",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "restartPolicy",
  "stdin",
  "stdinOnce",
  "tty",
];

export const reservedEnv = new Set(["POD_INDEX", "FB_AWS_EC2_METADATA_CLIENT_ENABLED"]);
const mountPaths = new Set((engineContainer.volumeMounts ?? []).map(({ mountPath }) => mountPath));
const reservedVolumes = new Set(["engine-config", "data", "runtime"]);
const secretVolume = /^(auth-admin|tls-engine|auth-signing-.*)$/;

function metadataFaults(template: PodTemplate, path: string): FieldFault[] {
  const { labels = {}, annotations = {}, ...others } = template.metadata ?? {};
  return [
    ...Object.keys(others)
      // The API server adds an empty creationTimestamp to every template that passes through typed clients.
      .filter((field) => others[field] !== null && others[field] !== undefined)
      .map((field) => owned(`${path}.metadata.${field}`)),
    ...reservedKeys(labels, `${path}.metadata.labels`),
    ...reservedKeys(annotations, `${path}.metadata.annotations`),
  ];
}

function reservedKeys(record: Record<string, string>, path: string): FieldFault[] {
  return Object.keys(record)
    .filter((key) => key.startsWith("firebolt.io/"))
    .map((key) => ({ path: `${path}[${key}]`, message: "keys under firebolt.io/ are the operator's" }));
}

function ownedFaults(record: Record<string, unknown>, fields: readonly string[], path: string): FieldFault[] {
  return fields.filter((field) => record[field] !== undefined).map((field) => owned(`${path}.${field}`));
}

function engineContainerFaults(engine: Container, path: string): FieldFault[] {
  const env = (engine.env ?? []).filter(({ name }) => reservedEnv.has(name) || name.startsWith("FIREBOLT_"));
  // A list entry with our key would take our entry's place: another config.yaml, past every protected path.
  const mounts = (engine.volumeMounts ?? []).filter(({ mountPath }) => mountPaths.has(posix.join(mountPath, ".")));
  return [
    ...ownedFaults(engine, ownedEngineFields, path),
    ...mounts.map(({ name, mountPath }) => ({
      path: `${path}.volumeMounts[${name}].mountPath`,
      message: `${mountPath} is the operator's`,
    })),
    ...env.map(({ name }) => ({ path: `${path}.env[${name}]`, message: "the variable is the operator's" })),
  ];
}

function sidecarFaults(container: Container, path: string): FieldFault[] {
  if (container.name === "engine") return [];
  const name = container.name === "engine-web" ? [{ path, message: 'the name "engine-web" is the operator\'s' }] : [];
  return [...name, ...secretMountFaults(container, path)];
}

function initFaults(container: Container, path: string): FieldFault[] {
  const reserved = container.name === "engine" || container.name === "engine-web";
  const name = reserved ? [{ path, message: `the name "${container.name}" is the operator's` }] : [];
  return [...name, ...secretMountFaults(container, path)];
}

function secretMountFaults(container: Container, path: string): FieldFault[] {
  return (container.volumeMounts ?? [])
    .filter(({ name }) => secretVolume.test(name))
    .map(({ name }) => ({ path: `${path}.volumeMounts[${name}]`, message: "only the engine may mount this volume" }));
}

function owned(path: string): FieldFault {
  return { path, message: "the field is the operator's and cannot be set" };
}
