import { type Kept } from "@/server/sandbox/objects/meta";
import { type Container, type EnvVar, type Pod, type Volume, type VolumeSource } from "@/server/sandbox/objects/pod";
import { quantityOf } from "@/server/sandbox/objects/quantity";
import { createFileSystem, type FileSystem } from "./file-system";

export type ConfigMap = Kept & { data?: Record<string, string>; binaryData?: Record<string, string> };
export type Secret = Kept & { data?: Record<string, string> };

/** Where a container's surroundings come from. */
export type Sources = {
  configMap(name: string): ConfigMap | undefined;
  secret(name: string): Secret | undefined;
  /** The files behind a claim: kept while the volume exists, whichever pod mounts it. */
  claim(name: string): FileSystem;
  now: () => number;
  allocatable: Readonly<Record<string, string>>;
};

/** A reference that cannot be resolved: the container waits until it can. */
export class MissingReference extends Error {}

export function environmentOf(pod: Pod, container: Container, sources: Sources): Record<string, string> {
  const env: Record<string, string> = {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOSTNAME: hostnameOf(pod),
  };
  for (const source of container.envFrom ?? []) {
    const { configMapRef, secretRef, prefix = "" } = source;
    const values = configMapRef
      ? required("configmap", sources.configMap(configMapRef.name)?.data, configMapRef)
      : required("secret", decoded(sources.secret(secretRef?.name ?? "")), secretRef);
    for (const [name, value] of Object.entries(values)) env[prefix + name] = value;
  }
  for (const variable of container.env ?? []) {
    const value = variable.valueFrom ? referredValue(pod, container, variable, sources) : variable.value;
    if (value !== undefined)
      env[variable.name] = value.replace(
        /\$\(([A-Za-z_][A-Za-z0-9_]*)\)/g,
        (whole, name: string) => env[name] ?? whole,
      );
  }
  return env;
}

function required(
  kind: string,
  values: Record<string, string> | undefined,
  ref: { name: string; optional?: boolean } | undefined,
): Record<string, string> {
  if (values) return values;
  if (ref?.optional) return {};
  throw new MissingReference(`${kind} "${ref?.name ?? ""}" not found`);
}

function referredValue(pod: Pod, container: Container, { valueFrom }: EnvVar, sources: Sources): string | undefined {
  if (valueFrom?.fieldRef) return fieldOf(pod, valueFrom.fieldRef.fieldPath);
  if (valueFrom?.resourceFieldRef) return resourceOf(pod, container, valueFrom.resourceFieldRef, sources);
  const ref = valueFrom?.configMapKeyRef ?? valueFrom?.secretKeyRef;
  if (!ref) return undefined;
  const kind = valueFrom?.configMapKeyRef ? "configmap" : "secret";
  const values = kind === "configmap" ? sources.configMap(ref.name)?.data : decoded(sources.secret(ref.name));
  const value = required(kind, values, ref)[ref.key];
  if (value !== undefined || ref.optional) return value;
  const title = kind === "configmap" ? "ConfigMap" : "Secret";
  throw new MissingReference(`couldn't find key ${ref.key} in ${title} ${pod.metadata.namespace ?? ""}/${ref.name}`);
}

function decoded(secret: Secret | undefined): Record<string, string> | undefined {
  if (!secret) return undefined;
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
  );
}

const fields: Record<string, (pod: Pod) => string | undefined> = {
  "metadata.name": (pod) => pod.metadata.name,
  "metadata.namespace": (pod) => pod.metadata.namespace,
  "metadata.uid": (pod) => pod.metadata.uid,
  "metadata.labels": (pod) => quotedPairs(pod.metadata.labels),
  "metadata.annotations": (pod) => quotedPairs(pod.metadata.annotations),
  "spec.nodeName": (pod) => pod.spec.nodeName,
  "spec.serviceAccountName": (pod) => pod.spec.serviceAccountName,
  "status.podIP": (pod) => pod.status?.podIP,
  "status.podIPs": (pod) => pod.status?.podIP,
  "status.hostIP": (pod) => pod.status?.hostIP,
};

function fieldOf(pod: Pod, path: string): string {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (keyed) return (keyed[1] === "labels" ? pod.metadata.labels : pod.metadata.annotations)?.[keyed[2] ?? ""] ?? "";
  return fields[path]?.(pod) ?? "";
}

function quotedPairs(pairs: Record<string, string> = {}): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join("\n");
}

function resourceOf(
  pod: Pod,
  container: Container,
  ref: { containerName?: string; resource: string },
  sources: Sources,
): string {
  const of = pod.spec.containers.find(({ name }) => name === ref.containerName) ?? container;
  const [side = "", name = ""] = ref.resource.split(".");
  const value =
    side === "limits" ? (of.resources?.limits?.[name] ?? sources.allocatable[name]) : of.resources?.requests?.[name];
  return String(Math.ceil(quantityOf(value)));
}

export function hostnameOf(pod: Pod): string {
  return pod.spec.hostname ?? pod.metadata.name.slice(0, 63);
}

/** The files of each volume of a pod, by its name. Throws a MissingReference while something of it is missing. */
export function volumesOf(pod: Pod, sources: Sources): Map<string, FileSystem> {
  return new Map((pod.spec.volumes ?? []).map((volume) => [volume.name, volumeFiles(pod, volume, sources)]));
}

function volumeFiles(pod: Pod, volume: Volume, sources: Sources): FileSystem {
  if (volume.persistentVolumeClaim) return sources.claim(volume.persistentVolumeClaim.claimName);
  if (volume.ephemeral) return sources.claim(`${pod.metadata.name}-${volume.name}`);
  const files = createFileSystem(sources.now);
  for (const source of volume.projected?.sources ?? [volume]) fill(files, pod, source, sources);
  return files;
}

function fill(files: FileSystem, pod: Pod, source: VolumeSource, sources: Sources) {
  if (source.configMap) {
    const map = sources.configMap(source.configMap.name ?? "");
    if (!map && !source.configMap.optional)
      throw new MissingReference(`configmap "${source.configMap.name ?? ""}" not found`);
    const binary = Object.entries(map?.binaryData ?? {}).map(([key, value]): [string, Buffer] => [
      key,
      Buffer.from(value, "base64"),
    ]);
    place(
      files,
      {
        ...Object.fromEntries(Object.entries(map?.data ?? {}).map(([key, value]) => [key, Buffer.from(value)])),
        ...Object.fromEntries(binary),
      },
      source.configMap.items,
    );
  }
  if (source.secret) {
    const name = source.secret.secretName ?? source.secret.name ?? "";
    const secret = sources.secret(name);
    if (!secret && !source.secret.optional) throw new MissingReference(`secret "${name}" not found`);
    place(
      files,
      Object.fromEntries(Object.entries(secret?.data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64")])),
      source.secret.items,
    );
  }
  for (const item of source.downwardAPI?.items ?? [])
    files.write(`/${item.path}`, fieldOf(pod, item.fieldRef?.fieldPath ?? ""), { parents: true });
  // No token is made for a pod that is only played.
  if (source.serviceAccountToken) files.write(`/${source.serviceAccountToken.path}`, "", { parents: true });
}

function place(files: FileSystem, values: Record<string, Buffer>, items: { key: string; path: string }[] | undefined) {
  const chosen = items ?? Object.keys(values).map((key) => ({ key, path: key }));
  for (const { key, path } of chosen) {
    const value = values[key];
    if (value) files.write(`/${path}`, value, { parents: true });
  }
}

/** The container's own files with its volumes in their places. */
export function containerFiles(
  container: Container,
  volumes: ReadonlyMap<string, FileSystem>,
  pod: Pod,
  now: () => number,
): FileSystem {
  const files = createFileSystem(now);
  for (const folder of ["/bin", "/data", "/dev", "/etc", "/proc", "/root", "/run", "/tmp", "/usr/bin", "/var/log"])
    files.makeDirectory(folder);
  files.write("/etc/hostname", `${hostnameOf(pod)}\n`);
  files.write("/etc/hosts", `127.0.0.1\tlocalhost\n${pod.status?.podIP ?? ""}\t${hostnameOf(pod)}\n`);
  files.write("/etc/passwd", "root:x:0:0::/:/bin/sh\n");
  for (const { name, mountPath, subPath } of container.volumeMounts ?? []) {
    const volume = volumes.get(name);
    if (volume && subPath && volume.stat(`/${subPath}`)?.type === "file")
      files.write(mountPath, volume.read(`/${subPath}`) ?? "", { parents: true });
    else if (volume) files.mount(mountPath, volume, `/${subPath ?? ""}`);
  }
  return files;
}
