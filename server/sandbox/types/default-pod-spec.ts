import { isRecord, listOf, recordOf, textOf } from "@/server/sandbox/json";

type Fields = Record<string, unknown>;

/** What Kubernetes fills in where a pod spec says nothing. Changes the spec in place. */
export function defaultPodSpec(spec: Fields) {
  fill(spec, {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  });
  if (spec["serviceAccountName"]) fill(spec, { serviceAccount: spec["serviceAccountName"] });
  for (const field of ["containers", "initContainers", "ephemeralContainers"])
    records(spec[field]).forEach(defaultContainer);
  records(spec["volumes"]).forEach(defaultVolume);
}

export function fill(target: Fields, defaults: Readonly<Fields>) {
  for (const [key, value] of Object.entries(defaults)) target[key] ??= value;
}

/** The same for a spec that may be missing: validation will tell. */
export function fillSpec({ spec }: { spec?: Fields }, defaults: Readonly<Fields>) {
  if (spec) fill(spec, defaults);
}

export function records(value: unknown): Fields[] {
  return listOf(value).filter(isRecord);
}

function defaultContainer(container: Fields) {
  fill(container, {
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: pullPolicyOf(textOf(container["image"])),
    resources: {},
  });
  for (const port of records(container["ports"])) fill(port, { protocol: "TCP" });
  for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    if (isRecord(container[probe])) defaultProbe(container[probe]);
  }
  for (const variable of records(container["env"])) {
    const { fieldRef } = recordOf(variable["valueFrom"]);
    if (isRecord(fieldRef)) fill(fieldRef, { apiVersion: "v1" });
  }
  // What is limited and not asked for is asked for.
  const { resources } = container;
  if (isRecord(resources) && isRecord(resources["limits"]))
    resources["requests"] = { ...resources["limits"], ...recordOf(resources["requests"]) };
}

function pullPolicyOf(image: string): string {
  const name = image.split("@")[0]?.split("/").at(-1) ?? "";
  const tag = name.includes(":") ? name.split(":")[1] : image.includes("@") ? "digest" : "latest";
  return tag === "latest" ? "Always" : "IfNotPresent";
}

function defaultProbe(probe: Fields) {
  fill(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  if (isRecord(probe["httpGet"])) fill(probe["httpGet"], { path: "/", scheme: "HTTP" });
}

const FILE_MODE = 0o644;

function defaultVolume(volume: Fields) {
  for (const source of ["configMap", "secret", "projected", "downwardAPI"]) {
    if (isRecord(volume[source])) fill(volume[source], { defaultMode: FILE_MODE });
  }
  if (isRecord(volume["hostPath"])) fill(volume["hostPath"], { type: "" });
  for (const source of records(recordOf(volume["projected"])["sources"])) {
    if (isRecord(source["serviceAccountToken"])) fill(source["serviceAccountToken"], { expirationSeconds: 3_600 });
    for (const item of records(recordOf(source["downwardAPI"])["items"])) {
      if (isRecord(item["fieldRef"])) fill(item["fieldRef"], { apiVersion: "v1" });
    }
  }
  if (Object.keys(volume).length === 1) volume["emptyDir"] = {};
}
