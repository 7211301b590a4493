import { describe, expect, test } from "vitest";
import { type EngineClass, engineClassSchema } from "@/machines/firebolt/engine-class.schema";
import { engineSchema } from "@/machines/firebolt/engine.schema";
import { enginePodTemplate } from "./engine-pod";
import { engineSettings } from "./engine-settings";
import { engineTemplateFaults } from "./template-rules";

type Template = Record<string, unknown>;
type Entry = Record<string, unknown>;

function podOf(ofClass: Template | null, ofEngine: Template = {}) {
  const metadata = { name: "analytics", namespace: "shop" };
  const kind = { apiVersion: "compute.firebolt.io/v1alpha1", metadata };
  const engine = engineSchema.parse({
    ...kind,
    kind: "FireboltEngine",
    spec: { instanceRef: "main", replicas: 1, template: ofEngine },
  });
  const engineClass: EngineClass | null =
    ofClass && engineClassSchema.parse({ ...kind, kind: "FireboltEngineClass", spec: { template: ofClass } });
  const { metadata: podMetadata, spec } = enginePodTemplate(
    engine,
    engineClass,
    engineSettings(engine, engineClass),
    3,
  );
  // The engine's container is always the first.
  return {
    metadata: podMetadata,
    spec: spec as Entry,
    engine: spec.containers[0] as Entry,
    containers: spec.containers,
  };
}

const pod = (spec: Entry) => ({ spec });
const inEngine = (fields: Entry) => pod({ containers: [{ name: "engine", ...fields }] });

describe("three layers", () => {
  test("our defaults hold where nobody says anything", () => {
    const { metadata, spec } = podOf(null);
    expect(spec).toMatchObject({
      terminationGracePeriodSeconds: 60,
      securityContext: { runAsUser: 3473, fsGroup: 3473, runAsNonRoot: true },
    });
    expect(metadata.labels).toEqual({ "firebolt.io/engine": "analytics", "firebolt.io/generation": "3" });
    expect((spec.volumes as Entry[]).map(({ name }) => name)).toEqual(["engine-config", "runtime", "data"]);
  });

  // prettier-ignore
  test.each([
    ["serviceAccountName", "of-class",            "of-engine"],
    ["priorityClassName",  "of-class",            "of-engine"],
    ["schedulerName",      "of-class",            "of-engine"],
    ["affinity",           { nodeAffinity: {} },  { podAffinity: {} }],
    ["securityContext",    { runAsUser: 1 },      { runAsUser: 2 }],
    ["dnsConfig",          { searches: ["a"] },   { searches: ["b"] }],
  ])("of %s the engine's word wins, then the class's", (field, ofClass, ofEngine) => {
    expect(podOf(pod({ [field]: ofClass })).spec[field]).toEqual(ofClass);
    expect(podOf(pod({ [field]: ofClass }), pod({ [field]: ofEngine })).spec[field]).toEqual(ofEngine);
  });

  test("of the engine's container the engine's image and resources win as a whole", () => {
    const ofClass = inEngine({ image: "class:1", resources: { requests: { cpu: "1", memory: "1Gi" } } });
    expect(podOf(ofClass).engine).toMatchObject({ image: "class:1", resources: { requests: { cpu: "1" } } });
    const { engine } = podOf(ofClass, inEngine({ image: "engine:2", resources: { limits: { cpu: "2" } } }));
    expect(engine).toMatchObject({ image: "engine:2", resources: { limits: { cpu: "2" } } });
    expect(engine.resources).not.toHaveProperty("requests");
  });
});

describe("lists", () => {
  // prettier-ignore
  test.each([
    ["tolerations",               { key: "a" },                     { key: "b" }],
    ["initContainers",            { name: "a", image: "x" },        { name: "b", image: "x" }],
    ["imagePullSecrets",          { name: "a" },                    { name: "b" }],
    ["topologySpreadConstraints", { topologyKey: "a" },             { topologyKey: "b" }],
    ["hostAliases",               { ip: "10.0.0.1" },               { ip: "10.0.0.2" }],
  ])("%s of the class come before the engine's", (field, ofClass, ofEngine) => {
    expect(podOf(pod({ [field]: [ofClass] }), pod({ [field]: [ofEngine] })).spec[field]).toEqual([ofClass, ofEngine]);
  });

  test("volumes come after ours, the class's before the engine's", () => {
    const { spec } = podOf(pod({ volumes: [{ name: "a" }] }), pod({ volumes: [{ name: "b" }] }));
    expect((spec.volumes as Entry[]).map(({ name }) => name)).toEqual(["engine-config", "runtime", "data", "a", "b"]);
  });

  test.each([
    ["env", { name: "A", value: "1" }, { name: "B", value: "2" }],
    ["envFrom", { secretRef: { name: "a" } }, { secretRef: { name: "b" } }],
    ["volumeMounts", { name: "a", mountPath: "/a" }, { name: "b", mountPath: "/b" }],
  ])("%s of the engine's container come after ours, the class's before the engine's", (field, ofClass, ofEngine) => {
    const ours = (podOf(null).engine[field] ?? []) as Entry[];
    const { engine } = podOf(inEngine({ [field]: [ofClass] }), inEngine({ [field]: [ofEngine] }));
    expect(engine[field]).toEqual([...ours, ofClass, ofEngine]);
  });

  test("an entry of the engine with the key of one of the class takes its place: no server takes both", () => {
    const ofClass = inEngine({
      env: [
        { name: "A", value: "class" },
        { name: "B", value: "class" },
      ],
    });
    const { engine } = podOf(ofClass, inEngine({ env: [{ name: "A", value: "engine" }] }));
    expect((engine.env as Entry[]).slice(-2)).toEqual([
      { name: "A", value: "engine" },
      { name: "B", value: "class" },
    ]);
    const twice = pod({ tolerations: [{ key: "a" }] });
    expect(podOf(twice, twice).spec.tolerations).toEqual([{ key: "a" }]);
  });

  test("sidecars of the class come before the engine's", () => {
    const { containers } = podOf(pod({ containers: [{ name: "a" }] }), pod({ containers: [{ name: "b" }] }));
    expect(containers.map(({ name }) => name)).toEqual(["engine", "a", "b"]);
  });
});

describe("maps", () => {
  test("labels, annotations and nodeSelector are merged by key, and the engine's keys win", () => {
    const layer = (a: string, more: Entry) => ({
      metadata: { labels: { a, ...more }, annotations: { a, ...more } },
      spec: { nodeSelector: { a, ...more } },
    });
    const { metadata, spec } = podOf(layer("class", { c: "1" }), layer("engine", { e: "1" }));
    const merged = { a: "engine", c: "1", e: "1" };
    expect(metadata.labels).toMatchObject(merged);
    expect(metadata.annotations).toEqual(merged);
    expect(spec.nodeSelector).toEqual(merged);
  });
});

describe("what is the operator's", () => {
  const ownedOfPod = {
    terminationGracePeriodSeconds: 5,
    subdomain: "x",
    hostname: "x",
    restartPolicy: "Never",
    activeDeadlineSeconds: 5,
    hostNetwork: true,
    hostPID: true,
    hostIPC: true,
    shareProcessNamespace: true,
    hostUsers: true,
  };
  const ownedOfEngine = {
    command: ["sh"],
    args: ["-c"],
    ports: [],
    livenessProbe: {},
    readinessProbe: {},
    startupProbe: {},
    restartPolicy: "Always",
    stdin: true,
    stdinOnce: true,
    tty: true,
  };

  // prettier-ignore
  test.each<[string, Template, string]>([
    ...Object.entries(ownedOfPod).map(([field, value]): [string, Template, string] => [field, pod({ [field]: value }), `spec.template.spec.${field}`]),
    ...Object.entries(ownedOfEngine).map(([field, value]): [string, Template, string] => [field, inEngine({ [field]: value }), `spec.template.spec.containers[engine].${field}`]),
    ["a second engine",      pod({ containers: [{ name: "engine" }, { name: "engine" }] }),                   "spec.template.spec.containers"],
    ["an init engine",       pod({ initContainers: [{ name: "engine" }] }),                                   "spec.template.spec.initContainers[engine]"],
    ["engine-web",           pod({ containers: [{ name: "engine-web" }] }),                                   "spec.template.spec.containers[engine-web]"],
    ["POD_INDEX",            inEngine({ env: [{ name: "POD_INDEX", value: "0" }] }),                          "spec.template.spec.containers[engine].env[POD_INDEX]"],
    ["FIREBOLT_ANYTHING",    inEngine({ env: [{ name: "FIREBOLT_ANYTHING", value: "0" }] }),                  "spec.template.spec.containers[engine].env[FIREBOLT_ANYTHING]"],
    ["our config's path",    inEngine({ volumeMounts: [{ name: "mine", mountPath: "/var/lib/firebolt/config.yaml" }] }), "spec.template.spec.containers[engine].volumeMounts[mine].mountPath"],
    ["our data's path",      inEngine({ volumeMounts: [{ name: "mine", mountPath: "/var/lib//firebolt/" }] }),  "spec.template.spec.containers[engine].volumeMounts[mine].mountPath"],
    ["our volume",           pod({ volumes: [{ name: "engine-config" }] }),                                   "spec.template.spec.volumes[engine-config]"],
    ["a secret's mount",     pod({ containers: [{ name: "s", volumeMounts: [{ name: "auth-admin", mountPath: "/a" }] }] }), "spec.template.spec.containers[s].volumeMounts[auth-admin]"],
    ["a reserved label",     { metadata: { labels: { "firebolt.io/engine": "x" } } },                         "spec.template.metadata.labels[firebolt.io/engine]"],
    ["a reserved annotation",{ metadata: { annotations: { "firebolt.io/x": "x" } } },                         "spec.template.metadata.annotations[firebolt.io/x]"],
    ["a name of the pod",    { metadata: { name: "x" } },                                                     "spec.template.metadata.name"],
  ])("%s is refused by its path", (_, template, path) => {
    expect(engineTemplateFaults(template, "spec.template").map((fault) => fault.path)).toEqual([path]);
  });

  test("sidecars may mount what the engine reads, and set what is theirs", () => {
    const volumeMounts = ["engine-config", "data", "runtime"].map((name) => ({ name, mountPath: `/${name}` }));
    const template = pod({ containers: [{ name: "sidecar", command: ["sh"], ports: [], tty: true, volumeMounts }] });
    expect(engineTemplateFaults(template, "spec.template")).toEqual([]);
  });
});
