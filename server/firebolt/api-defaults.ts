import { isRecord } from "./stable-hash";
import { quantityOf } from "./quantity";

type Fields = Record<string, unknown>;

/**
 * A pod spec as the API server keeps it, whichever version filled it in: its defaults added, amounts by value, and what
 * it leaves out when empty left out. Two specs that mean the same come out the same.
 */
export function podSpecWithDefaults(spec: Fields): Fields {
  const { containers, initContainers, volumes, ...others } = spec;
  return pruned({
    restartPolicy: "Always",
    dnsPolicy: "ClusterFirst",
    schedulerName: "default-scheduler",
    terminationGracePeriodSeconds: 30,
    enableServiceLinks: true,
    ...others,
    // The alias of serviceAccountName that the server keeps in step.
    serviceAccount: undefined,
    ...(isRecord(others.overhead) && { overhead: amounts(others.overhead) }),
    containers: records(containers).map(containerWithDefaults),
    initContainers: records(initContainers).map(containerWithDefaults),
    volumes: records(volumes).map(volumeWithDefaults),
  });
}

function containerWithDefaults(container: Fields): Fields {
  const image = typeof container.image === "string" ? container.image : "";
  return {
    imagePullPolicy: /:(?!latest$)[^/]+$|@/.test(image) ? "IfNotPresent" : "Always",
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    ...container,
    env: records(container.env).map(envWithDefaults),
    ports: records(container.ports).map((port) => ({ protocol: "TCP", ...port })),
    resources: resourcesByValue(container.resources),
    volumeMounts: records(container.volumeMounts).map((mount) => ({
      ...mount,
      readOnly: mount.readOnly === true || undefined,
    })),
    ...Object.fromEntries(
      ["livenessProbe", "readinessProbe", "startupProbe"].map((name) => [name, probeWithDefaults(container[name])]),
    ),
  };
}

function envWithDefaults({ value, valueFrom, ...rest }: Fields): Fields {
  const from = isRecord(valueFrom) ? valueFrom : undefined;
  const fieldRef = isRecord(from?.fieldRef) ? { fieldRef: { apiVersion: "v1", ...from.fieldRef } } : {};
  return { ...rest, ...(value !== "" && { value }), ...(from && { valueFrom: { ...from, ...fieldRef } }) };
}

function probeWithDefaults(probe: unknown): Fields | undefined {
  if (!isRecord(probe)) return undefined;
  const httpGet = isRecord(probe.httpGet) ? { httpGet: { path: "/", scheme: "HTTP", ...probe.httpGet } } : {};
  return {
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
    ...probe,
    ...httpGet,
  };
}

const fileModeSources = ["configMap", "secret", "projected", "downwardAPI"];

function volumeWithDefaults(volume: Fields): Fields {
  const entries = Object.entries(volume).map(([name, source]): [string, unknown] => {
    if (!isRecord(source)) return [name, source];
    if (fileModeSources.includes(name)) return [name, { defaultMode: 420, ...source }];
    if (name === "hostPath") return [name, { ...source, type: source.type === "" ? undefined : source.type }];
    if (name === "emptyDir")
      return [name, { ...source, ...(isAmount(source.sizeLimit) && { sizeLimit: amount(source.sizeLimit) }) }];
    return [name, source];
  });
  // An emptyDir without settings still tells the volume from one without a source.
  return {
    ...Object.fromEntries(entries),
    source: Object.keys(volume)
      .filter((name) => name !== "name")
      .join(),
  };
}

export function resourcesByValue(resources: unknown): Fields {
  if (!isRecord(resources)) return {};
  const { requests, limits, ...others } = resources;
  return {
    ...others,
    requests: isRecord(requests) ? amounts(requests) : undefined,
    limits: isRecord(limits) ? amounts(limits) : undefined,
  };
}

function amounts(of: Fields): Fields {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, isAmount(value) ? amount(value) : value]));
}

function amount(value: string | number): string {
  return String(quantityOf(value) ?? value);
}

function isAmount(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

function records(list: unknown): Fields[] {
  return Array.isArray(list) ? (list as unknown[]).filter(isRecord) : [];
}

/** Without null, undefined, and empty lists and objects: the server keeps none of them. */
function pruned(value: Fields): Fields {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => {
      const kept = prunedPart(part);
      const empty = kept === null || kept === undefined || (typeof kept === "object" && Object.keys(kept).length === 0);
      return empty ? [] : [[key, kept]];
    }),
  );
}

function prunedPart(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(prunedPart);
  return isRecord(part) ? pruned(part) : part;
}
