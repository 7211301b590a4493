import { describe, expect, test } from "vitest";
import { engineSchema } from "@/machines/firebolt/engine.schema";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { engineStatefulSet } from "./engine-objects";
import { engineSettings } from "./engine-settings";
import { stsDifferences } from "./sts-matches-spec";

type Fields = Record<string, unknown>;
type Template = { metadata: Fields; spec: Fields & { containers: Fields[]; volumes: Fields[] } };

const desired = (spec: Fields = {}): KubernetesObject => {
  const engine = engineSchema.parse({
    apiVersion: "compute.firebolt.io/v1alpha1",
    kind: "FireboltEngine",
    metadata: { name: "analytics", namespace: "shop", uid: "u" },
    spec: { instanceRef: "main", replicas: 2, ...spec },
  });
  return engineStatefulSet(engine, null, engineSettings(engine, null), 0);
};

/** As an API server keeps it, and changed since, so that only the fields speak. */
const stored = (of: KubernetesObject, change: (template: Template, spec: Fields) => void = () => undefined) => {
  const copy = structuredClone(of);
  const spec = copy.spec as Fields & { template: Template };
  const pod = spec.template.spec;
  Object.assign(spec, { revisionHistoryLimit: 10, updateStrategy: { type: "RollingUpdate" } });
  Object.assign(pod, { restartPolicy: "Always", dnsPolicy: "ClusterFirst", schedulerName: "default-scheduler" });
  for (const container of pod.containers) {
    Object.assign(container, { terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" });
    for (const probe of ["readinessProbe", "livenessProbe", "startupProbe"].map((name) => container[name] as Fields)) {
      Object.assign(probe, { successThreshold: 1, httpGet: { scheme: "HTTP", ...(probe.httpGet as Fields) } });
    }
  }
  change(spec.template, spec);
  return { ...copy, metadata: { ...copy.metadata, generation: 2 } };
};

const engineOf = ({ spec }: Template): Fields => spec.containers[0] ?? {};

describe("what the API server adds is no difference", () => {
  test("defaults of pod, containers and probes", () => {
    expect(stsDifferences(stored(desired()), desired())).toEqual([]);
  });

  test("amounts that are written differently", () => {
    const resources = { requests: { cpu: "1000m", memory: "1024Mi" } };
    const wanted = desired({ template: { spec: { containers: [{ name: "engine", resources }] } } });
    const live = stored(wanted, (template) => {
      engineOf(template).resources = { requests: { cpu: "1", memory: "1Gi" } };
    });
    expect(stsDifferences(live, wanted)).toEqual([]);
  });

  test("a default that nobody knew of, in a StatefulSet that nobody has touched", () => {
    const live = stored(desired(), ({ spec }) => void (spec.fieldOfTomorrow = "x"));
    expect(stsDifferences({ ...live, metadata: { ...live.metadata, generation: 1 } }, desired())).toEqual([]);
    expect(stsDifferences(live, desired())).toEqual(["spec.template.spec.fieldOfTomorrow"]);
  });
});

// prettier-ignore
const edits: [string, (template: Template, spec: Fields) => void][] = [
  ["spec.replicas",                                   (_, spec) => void (spec.replicas = 5)],
  ["spec.template.labels",                            ({ metadata }) => void (metadata.labels = {})],
  ["spec.template.annotations",                       ({ metadata }) => void (metadata.annotations = { a: "b" })],
  ["spec.template.spec.serviceAccountName",           ({ spec }) => void (spec.serviceAccountName = "other")],
  ["spec.template.spec.nodeSelector",                 ({ spec }) => void (spec.nodeSelector = { zone: "a" })],
  ["spec.template.spec.tolerations",                  ({ spec }) => void (spec.tolerations = [{ operator: "Exists" }])],
  ["spec.template.spec.affinity",                     ({ spec }) => void (spec.affinity = { nodeAffinity: {  x: 1 } })],
  ["spec.template.spec.topologySpreadConstraints",    ({ spec }) => void (spec.topologySpreadConstraints = [{ maxSkew: 1 }])],
  ["spec.template.spec.securityContext",              ({ spec }) => void (spec.securityContext = { runAsUser: 0 })],
  ["spec.template.spec.terminationGracePeriodSeconds",({ spec }) => void (spec.terminationGracePeriodSeconds = 1)],
  ["spec.template.spec.priorityClassName",            ({ spec }) => void (spec.priorityClassName = "high")],
  ["spec.template.spec.imagePullSecrets",             ({ spec }) => void (spec.imagePullSecrets = [{ name: "s" }])],
  ["spec.template.spec.volumes",                      ({ spec }) => void spec.volumes.pop()],
  ["spec.template.spec.containers",                   ({ spec }) => void spec.containers.push({ name: "stranger" })],
  ["spec.template.spec.initContainers",               ({ spec }) => void (spec.initContainers = [{ name: "first" }])],
  ["spec.template.spec.containers[engine].image",     (template) => void (engineOf(template).image = "other:1")],
  ["spec.template.spec.containers[engine].imagePullPolicy", (template) => void (engineOf(template).imagePullPolicy = "Never")],
  ["spec.template.spec.containers[engine].resources", (template) => void (engineOf(template).resources = { limits: { cpu: "1" } })],
  ["spec.template.spec.containers[engine].env",       (template) => void (engineOf(template).env = [])],
  ["spec.template.spec.containers[engine].envFrom",   (template) => void (engineOf(template).envFrom = [{ secretRef: { name: "s" } }])],
  ["spec.template.spec.containers[engine].volumeMounts", (template) => void (engineOf(template).volumeMounts = [])],
  ["spec.template.spec.containers[engine].securityContext", (template) => void (engineOf(template).securityContext = {})],
  ["spec.template.spec.containers[engine].command",   (template) => void (engineOf(template).command = ["sh"])],
];

test.each(edits)("%s that somebody edits is seen, and nothing else", (path, edit) => {
  expect(stsDifferences(stored(desired(), edit), desired())).toEqual([path]);
});

test.each([
  ["persistentVolumeClaim", { persistentVolumeClaim: { size: "1Gi" } }, "spec.volumeClaimTemplates"],
  ["hostPath", { hostPath: { path: "/data" } }, "spec.template.spec.volumes"],
  ["emptyDir with a limit", { emptyDir: { sizeLimit: "1Gi" } }, "spec.template.spec.volumes"],
])("storage that becomes a %s is a difference", (_, storage, path) => {
  expect(stsDifferences(stored(desired()), desired({ storage }))).toContain(path);
});

test("a claim to which the cluster adds its class and mode is no difference", () => {
  const storage = { persistentVolumeClaim: { size: "1Gi", storageClassName: "fast" } };
  const live = stored(desired({ storage }), (_, spec) => {
    const [claim] = spec.volumeClaimTemplates as { spec: Fields; status?: Fields }[];
    if (claim) Object.assign(claim.spec, { volumeMode: "Filesystem" });
    if (claim) claim.status = { phase: "Pending" };
  });
  expect(stsDifferences(live, desired({ storage }))).toEqual([]);
});

test.each(["rollout", "drainCheckEnabled", "drainCheckInterval"])("%s is no part of the pods", (field) => {
  const values: Fields = { rollout: "recreate", drainCheckEnabled: false, drainCheckInterval: "1m" };
  expect(stsDifferences(stored(desired()), desired({ [field]: values[field] }))).toEqual([]);
});
