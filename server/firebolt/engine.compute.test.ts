import { describe, expect, test } from "vitest";
import { findCondition } from "@/machines/conditions";
import { createPlayedCluster, readyInstance, seedEngine, settle, type PlayedCluster } from "./fixtures/played-cluster";

const engineName = "analytics";
const ready = (cluster: PlayedCluster) => findCondition(cluster.engine(engineName).status.conditions, "Ready");
const instanceReady = (cluster: PlayedCluster) =>
  findCondition(cluster.engine(engineName).status.conditions, "InstanceReady");
const setReplicas = (cluster: PlayedCluster, replicas: number) =>
  cluster.patchEngine(engineName, { spec: { replicas } });
const image = (tag: string) => ({
  template: { spec: { containers: [{ name: "engine", image: `registry.example/engine:${tag}` }] } },
});

async function running(spec: Record<string, unknown> = {}) {
  const cluster = createPlayedCluster();
  seedEngine(cluster, spec);
  await settle(cluster);
  return cluster;
}

/** A roll up to the given phase, pods ready all along. */
async function rollingTo(phase: string, spec: Record<string, unknown> = {}) {
  const cluster = await running(spec);
  cluster.patchEngine(engineName, { spec: image("2") });
  for (let turn = 0; turn < 12 && cluster.engine(engineName).status.phase !== phase; turn++) {
    await cluster.pass(engineName);
    cluster.playPods();
  }
  expect(cluster.engine(engineName).status.phase).toBe(phase);
  return cluster;
}

describe("phases", () => {
  test("a first deploy goes from creating over switching straight to stable", async () => {
    const cluster = createPlayedCluster();
    seedEngine(cluster);
    expect(await settle(cluster)).toEqual(["creating", "switching", "stable"]);
    expect(cluster.engine(engineName).status).toMatchObject({
      currentGeneration: 0,
      activeGeneration: 0,
      readyReplicas: 2,
    });
  });

  test("a first deploy of no pods ends in stopped", async () => {
    const cluster = createPlayedCluster();
    seedEngine(cluster, { replicas: 0 });
    expect(await settle(cluster)).toEqual(["creating", "switching", "stopped"]);
  });

  test("a spec change in stable writes only the intent", async () => {
    const cluster = await running();
    cluster.patchEngine(engineName, { spec: image("2") });
    const plan = await cluster.pass(engineName);
    expect(plan.effects).toEqual([]);
    expect(plan.status).toMatchObject({ phase: "creating", currentGeneration: 1, activeGeneration: 0 });
  });

  test("a roll passes through every phase, and only one generation is left", async () => {
    const cluster = await running();
    cluster.patchEngine(engineName, { spec: image("2") });
    expect(await settle(cluster)).toEqual(["stable", "creating", "switching", "draining", "cleaning", "stable"]);
    expect(cluster.all("StatefulSet").map(({ metadata }) => metadata.name)).toEqual(["analytics-g1"]);
    expect(cluster.get("Service", "analytics-service")?.spec).toMatchObject({
      selector: { "firebolt.io/generation": "1" },
    });
  });

  test("creating waits for all pods", async () => {
    const cluster = createPlayedCluster();
    seedEngine(cluster);
    for (let turn = 0; turn < 4; turn++) {
      await cluster.pass(engineName);
      cluster.playPods((pod) => !pod.endsWith("-1"));
    }
    expect(cluster.engine(engineName).status.phase).toBe("creating");
    expect((await cluster.plan(engineName)).requeueAfterMs).toBe(5_000);
  });

  test("a scale to zero is not held up by readiness and ends in stopped", async () => {
    const cluster = await running();
    setReplicas(cluster, 0);
    expect(await settle(cluster)).toEqual(["stable", "creating", "switching", "draining", "cleaning", "stopped"]);
    expect(cluster.get("StatefulSet", "analytics-g1")?.spec?.replicas).toBe(0);
    expect(cluster.get("ConfigMap", "analytics-g1-config")).not.toBeNull();
  });

  test("a spec that changes while creating abandons the generation and builds another", async () => {
    const cluster = await running();
    cluster.patchEngine(engineName, { spec: image("2") });
    await cluster.pass(engineName);
    await cluster.pass(engineName);
    cluster.playPods(() => false);
    cluster.patchEngine(engineName, { spec: image("3") });
    const plan = await cluster.pass(engineName);
    expect(plan.effects.map((effect) => effect.type === "delete" && effect.target.name)).toEqual([
      "analytics-g1",
      "analytics-g1-hl",
      "analytics-g1-config",
    ]);
    expect(plan.status).toMatchObject({ phase: "creating", currentGeneration: 2 });
    await settle(cluster);
    expect(cluster.all("StatefulSet").map(({ metadata }) => metadata.name)).toEqual(["analytics-g2"]);
  });

  test.each(["draining", "cleaning", "switching"])("a spec change while %s begins no generation", async (phase) => {
    const cluster = await rollingTo(phase);
    cluster.patchEngine(engineName, { spec: image("3") });
    const plan = await cluster.plan(engineName);
    expect(plan.status).toMatchObject({ currentGeneration: 1 });
  });

  test("a spec change during a roll is taken up once the roll is over", async () => {
    const cluster = await rollingTo("draining");
    cluster.patchEngine(engineName, { spec: image("3") });
    expect(await settle(cluster)).toEqual([
      "draining",
      "cleaning",
      "stable",
      "creating",
      "switching",
      "draining",
      "cleaning",
      "stable",
    ]);
    expect(cluster.engine(engineName).status.activeGeneration).toBe(2);
  });

  test.each([
    ["ConfigMap", "analytics-g0-config"],
    ["Service", "analytics-g0-hl"],
  ])("a missing %s is rebuilt in place", async (kind, name) => {
    const cluster = await running();
    cluster.remove(kind, name);
    const plan = await cluster.pass(engineName);
    expect(plan.effects).toMatchObject([{ type: "ensure", object: { kind, metadata: { name } } }]);
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "stable", currentGeneration: 0 });
  });

  test("a stopped engine's missing ConfigMap is rebuilt in place", async () => {
    const cluster = await running({ replicas: 0 });
    cluster.remove("ConfigMap", "analytics-g0-config");
    await cluster.pass(engineName);
    expect(cluster.get("ConfigMap", "analytics-g0-config")).not.toBeNull();
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "stopped", currentGeneration: 0 });
  });

  test("a missing StatefulSet starts a generation", async () => {
    const cluster = await running();
    cluster.remove("StatefulSet", "analytics-g0");
    expect((await cluster.pass(engineName)).status).toMatchObject({ phase: "creating", currentGeneration: 1 });
  });

  test("a Service that somebody removed or moved is put back on the serving generation", async () => {
    const cluster = await running();
    cluster.remove("Service", "analytics-service");
    await settle(cluster);
    expect(cluster.get("Service", "analytics-service")?.spec).toMatchObject({
      selector: { "firebolt.io/generation": "0" },
    });
  });

  test("a resting engine looks again after 30 s and changes nothing", async () => {
    const cluster = await running();
    const plan = await cluster.plan(engineName);
    expect(plan).toMatchObject({ effects: [], requeueAfterMs: 30_000 });
    expect(plan.status).toEqual(cluster.get("FireboltEngine", engineName)?.status);
  });

  test("settings of the drain never roll", async () => {
    const cluster = await running();
    cluster.patchEngine(engineName, {
      spec: { rollout: "recreate", drainCheckEnabled: false, drainCheckInterval: "1m" },
    });
    await settle(cluster);
    expect(cluster.engine(engineName).status).toMatchObject({ currentGeneration: 0, observedGeneration: 2 });
  });
});

describe("instance gate", () => {
  const blocked = async (cluster: PlayedCluster) => {
    cluster.remove("FireboltInstance", "main");
    return await cluster.pass(engineName);
  };

  test.each([
    ["stable", { replicas: 2 }],
    ["stopped", { replicas: 0 }],
  ])("an engine in %s whose instance is lost says so in one status write and waits", async (phase, spec) => {
    const cluster = await running(spec);
    setReplicas(cluster, 3);
    const plan = await blocked(cluster);
    expect(plan).toMatchObject({ effects: [], requeueAfterMs: 10_000, status: { phase } });
    expect(instanceReady(cluster)).toMatchObject({ status: "False", reason: "InstanceNotReady" });
    expect(ready(cluster)).toMatchObject({ status: "False", reason: "InstanceNotReady" });
  });

  test("an engine in creating waits for its instance before anything is made", async () => {
    const cluster = createPlayedCluster();
    seedEngine(cluster);
    cluster.remove("FireboltInstance", "main");
    await cluster.pass(engineName);
    await cluster.pass(engineName);
    expect(cluster.all("StatefulSet")).toEqual([]);
    expect(instanceReady(cluster)?.message).toContain('FireboltInstance "main" does not exist');
    cluster.put(readyInstance());
    expect(await settle(cluster)).toContain("stable");
  });

  test.each(["switching", "draining", "cleaning"])("a rollout in %s goes on without its instance", async (phase) => {
    const cluster = await rollingTo(phase);
    cluster.remove("FireboltInstance", "main");
    for (let turn = 0; turn < 4; turn++) await cluster.pass(engineName);
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "stable", activeGeneration: 1 });
    expect(cluster.all("StatefulSet")).toHaveLength(1);
  });
});

describe("Ready", () => {
  test("a first look says Initializing", async () => {
    const cluster = createPlayedCluster();
    seedEngine(cluster);
    await cluster.pass(engineName);
    expect(ready(cluster)).toMatchObject({ status: "False", reason: "Initializing" });
  });

  test("an instance that is not ready wins over everything else", async () => {
    const cluster = await running({ replicas: 0 });
    cluster.remove("FireboltInstance", "main");
    await cluster.pass(engineName);
    expect(ready(cluster)).toMatchObject({ status: "False", reason: "InstanceNotReady" });
  });

  test("a stopped engine is Stopped, not Rolling", async () => {
    const cluster = await running({ replicas: 0 });
    expect(ready(cluster)).toMatchObject({
      status: "False",
      reason: "Stopped",
      message: "Engine is stopped (spec.replicas is 0)",
    });
  });

  test.each(["creating", "switching", "draining", "cleaning"])("an engine in %s is Rolling", async (phase) => {
    const cluster = await rollingTo(phase);
    expect(ready(cluster)).toMatchObject({
      status: "False",
      reason: "Rolling",
      message: `Engine is in ${phase} phase`,
    });
  });

  test("a stable engine with a pod that is not ready says how many are", async () => {
    const cluster = await running();
    cluster.playPods((pod) => pod.endsWith("-0"));
    await cluster.pass(engineName);
    expect(ready(cluster)).toMatchObject({ reason: "PodsNotReady", message: "generation 0 has 1 of 2 pod(s) ready" });
  });

  test("a stable engine with all pods ready serves", async () => {
    const cluster = await running();
    expect(ready(cluster)).toMatchObject({
      status: "True",
      reason: "EngineReady",
      message: "Engine is serving traffic on generation 0",
    });
  });
});

describe("drain", () => {
  const busy = (running: number, suspended = 0) => ({
    status: 200,
    body: `# TYPE x gauge\nfirebolt_running_queries ${running}\nfirebolt_suspended_queries ${suspended}\n`,
  });

  test.each([
    ["a running query", busy(1)],
    ["a suspended query", busy(0, 1)],
    ["a redirect", { status: 302, body: "" }],
    ["metrics without the gauges", { status: 200, body: "up 1\n" }],
    ["metrics with one of the two gauges", { status: 200, body: "firebolt_running_queries 0\n" }],
    ["a pod that does not answer", new Error("connection refused")],
  ])("%s keeps the old generation", async (_, answer) => {
    const cluster = await rollingTo("draining");
    cluster.metrics.set("analytics-g0-1", answer);
    const plan = await cluster.pass(engineName);
    expect(plan.status).toMatchObject({ phase: "draining", drainingGeneration: 0 });
    expect(plan.requeueAfterMs).toBe(5_000);
    expect(cluster.get("StatefulSet", "analytics-g0")).not.toBeNull();
  });

  test("an old generation to which the Service still leads is not drained, however idle", async () => {
    const cluster = await rollingTo("draining");
    const endpoints = (pod: string) => ({
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: { name: "analytics-service", namespace: "shop" },
      subsets: [{ addresses: [{ ip: "10.0.0.1", targetRef: { kind: "Pod", name: pod } }] }],
    });
    cluster.put(endpoints("analytics-g0-0"));
    expect((await cluster.pass(engineName)).status).toMatchObject({ phase: "draining" });
    cluster.put(endpoints("analytics-g1-0"));
    expect((await cluster.pass(engineName)).status).toMatchObject({ phase: "cleaning" });
  });

  test("a failed scrape is told as DrainCheckFailing, and drained pods later end it", async () => {
    const cluster = await rollingTo("draining");
    cluster.metrics.set("analytics-g0-1", new Error("connection refused"));
    const plan = await cluster.pass(engineName);
    expect(ready(cluster)).toMatchObject({ reason: "DrainCheckFailing" });
    expect(ready(cluster)?.message).toContain("drain probe failed on pod analytics-g0-1: connection refused");
    expect(plan.effects).toMatchObject([{ type: "emit", reason: "DrainCheckFailing" }]);
    expect((await cluster.pass(engineName)).effects).toEqual([]);
    cluster.metrics.clear();
    expect(await settle(cluster)).toEqual(["draining", "cleaning", "stable"]);
  });

  test.each([
    ["drainCheckEnabled: false", { drainCheckEnabled: false }],
    ["rollout: recreate", { rollout: "recreate" }],
  ])("%s does not wait for queries", async (_, spec) => {
    const cluster = await rollingTo("draining", spec);
    cluster.metrics.set("analytics-g0-0", busy(3));
    await cluster.pass(engineName);
    expect(cluster.engine(engineName).status.phase).toBe("cleaning");
  });

  test("an old generation without its StatefulSet counts as drained", async () => {
    const cluster = await rollingTo("draining");
    cluster.metrics.set("analytics-g0-0", busy(3));
    cluster.remove("StatefulSet", "analytics-g0");
    await cluster.pass(engineName);
    expect(cluster.engine(engineName).status.phase).toBe("cleaning");
  });

  test("the interval is the engine's, else its class's", async () => {
    const cluster = await rollingTo("draining", { drainCheckInterval: "1m30s" });
    cluster.metrics.set("analytics-g0-0", busy(1));
    expect((await cluster.plan(engineName)).requeueAfterMs).toBe(90_000);
  });
});

describe("warning events of the StatefulSet", () => {
  const failedCreate = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e1", namespace: "shop" },
    type: "Warning",
    reason: "FailedCreate",
    message: 'create Pod analytics-g0-0 failed: serviceaccount "reader" not found',
    count: 7,
    lastTimestamp: "2026-01-01T00:00:00Z",
  };

  const stuck = async () => {
    const cluster = createPlayedCluster();
    seedEngine(cluster);
    for (let turn = 0; turn < 3; turn++) await cluster.pass(engineName);
    cluster.events.push(failedCreate);
    return cluster;
  };

  test("missing pods are explained by the newest event, asked for by uid and type", async () => {
    const cluster = await stuck();
    cluster.events.unshift({ ...failedCreate, message: "older", lastTimestamp: "2025-01-01T00:00:00Z" });
    await cluster.pass(engineName);
    const uid = cluster.get("StatefulSet", "analytics-g0")?.metadata.uid ?? "";
    expect(cluster.questions.at(-1)).toBe(`v1 Event involvedObject.uid=${uid},type=Warning`);
    expect(ready(cluster)).toMatchObject({
      status: "False",
      reason: "FailedCreate",
      message: `StatefulSet analytics-g0: create Pod analytics-g0-0 failed: serviceaccount "reader" not found (x7)`,
    });
  });

  test("pods that are there but not ready ask for no events", async () => {
    const cluster = await stuck();
    cluster.playPods(() => false);
    cluster.questions.length = 0;
    await cluster.pass(engineName);
    expect(cluster.questions).toEqual([]);
    expect(ready(cluster)?.reason).toBe("Rolling");
  });

  test("without a StatefulSet no events are asked for", async () => {
    const cluster = createPlayedCluster();
    seedEngine(cluster);
    await cluster.pass(engineName);
    await cluster.plan(engineName);
    expect(cluster.questions).toEqual([]);
  });

  test("an instance that is not ready is not overridden by an event", async () => {
    const cluster = await stuck();
    cluster.remove("FireboltInstance", "main");
    cluster.questions.length = 0;
    await cluster.pass(engineName);
    expect(cluster.questions).toEqual([]);
    expect(ready(cluster)?.reason).toBe("InstanceNotReady");
  });

  test("the general reason is back as soon as the pods come up", async () => {
    const cluster = await stuck();
    await cluster.pass(engineName);
    await settle(cluster);
    expect(ready(cluster)).toMatchObject({ status: "True", reason: "EngineReady" });
  });

  test("a stable engine whose pods cannot be made again is explained too", async () => {
    const cluster = await running();
    cluster.events.push(failedCreate);
    for (const { metadata } of cluster.all("Pod")) cluster.remove("Pod", metadata.name);
    await cluster.pass(engineName);
    expect(ready(cluster)).toMatchObject({ reason: "FailedCreate" });
    expect(cluster.engine(engineName).status.phase).toBe("stable");
  });

  test("a reason that no condition may carry is replaced", async () => {
    const cluster = await stuck();
    cluster.events[0] = { ...failedCreate, reason: "not a word" };
    await cluster.pass(engineName);
    expect(ready(cluster)?.reason).toBe("StatefulSetWarning");
  });
});

describe("deletion", () => {
  test("a deleted engine takes all its objects with it, its finalizer last", async () => {
    const cluster = await rollingTo("draining");
    const self = cluster.get("FireboltEngine", engineName);
    if (self) cluster.put({ ...self, metadata: { ...self.metadata, deletionTimestamp: "2026-01-01T01:00:00Z" } });
    const plan = await cluster.pass(engineName);
    expect(plan.effects.at(-1)).toEqual({ type: "removeFinalizer", finalizer: "compute.firebolt.io/engine-cleanup" });
    expect(plan.status).toBeNull();
    expect(["StatefulSet", "Service", "ConfigMap", "FireboltEngine"].flatMap((kind) => cluster.all(kind))).toEqual([]);
  });

  test("an object that somebody else holds back is named, and the engine goes all the same", async () => {
    const cluster = await running();
    const service = cluster.get("Service", "analytics-service");
    if (service) cluster.put({ ...service, metadata: { ...service.metadata, finalizers: ["example.com/hold"] } });
    const self = cluster.get("FireboltEngine", engineName);
    if (self) cluster.put({ ...self, metadata: { ...self.metadata, deletionTimestamp: "2026-01-01T01:00:00Z" } });
    const plan = await cluster.plan(engineName);
    expect(plan.effects).toContainEqual(
      expect.objectContaining({ type: "emit", reason: "ExternalFinalizerOnOwnedResource" }),
    );
    expect(plan.effects.at(-1)).toMatchObject({ type: "removeFinalizer" });
    expect(plan.status).toMatchObject({ conditions: [{}, { reason: "ExternalFinalizer" }] });
  });
});

describe("sweep", () => {
  const leftover = (cluster: PlayedCluster, generation: number, owner = cluster.engine(engineName).metadata.uid) =>
    cluster.put({
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: {
        name: `analytics-g${generation}`,
        namespace: "shop",
        labels: { "firebolt.io/engine": engineName, "firebolt.io/generation": String(generation) },
        ownerReferences: [{ apiVersion: "x", kind: "FireboltEngine", name: engineName, uid: owner, controller: true }],
      },
      spec: { replicas: 1 },
    });

  test("a generation that nobody refers to is removed", async () => {
    const cluster = await rollingTo("draining");
    await settle(cluster);
    leftover(cluster, 0);
    await cluster.pass(engineName);
    expect(cluster.all("StatefulSet").map(({ metadata }) => metadata.name)).toEqual(["analytics-g1"]);
  });

  test("nothing at or above the newest generation is ever swept", async () => {
    const cluster = await running();
    leftover(cluster, 7);
    await cluster.pass(engineName);
    expect(cluster.get("StatefulSet", "analytics-g7")).not.toBeNull();
  });

  test("what another owner has is left alone", async () => {
    const cluster = await rollingTo("draining");
    await settle(cluster);
    leftover(cluster, 0, "somebody-else");
    await cluster.pass(engineName);
    expect(cluster.get("StatefulSet", "analytics-g0")).not.toBeNull();
  });
});

describe("commands", () => {
  const command = async (cluster: PlayedCluster, type: string, args = {}) => {
    const plan = await cluster.plan(engineName, { type, ...args });
    for (const effect of plan.effects) if (effect.type === "patchSpec") cluster.patchEngine(engineName, effect.patch);
    return plan;
  };

  test("stop and start give back the number of pods there were", async () => {
    const cluster = await running({ replicas: 3 });
    await command(cluster, "stop");
    await settle(cluster);
    expect(cluster.engine(engineName).status.phase).toBe("stopped");
    await command(cluster, "start");
    await settle(cluster);
    expect(cluster.engine(engineName)).toMatchObject({ spec: { replicas: 3 }, status: { phase: "stable" } });
  });

  test("scale rolls to the number asked for", async () => {
    const cluster = await running();
    await command(cluster, "scale", { replicas: 4 });
    await settle(cluster);
    expect(cluster.all("Pod")).toHaveLength(4);
  });

  test("restart runs a new generation of the same spec", async () => {
    const cluster = await running();
    cluster.advance(1_000);
    await command(cluster, "restart");
    await settle(cluster);
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "stable", activeGeneration: 1 });
  });

  test("skipDrain lets this old generation go, and waits for the next one again", async () => {
    const cluster = await rollingTo("draining");
    const held = { status: 200, body: "firebolt_running_queries 1\nfirebolt_suspended_queries 0\n" };
    cluster.metrics.set("analytics-g0-0", held);
    await command(cluster, "skipDrain");
    await settle(cluster);
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "stable", activeGeneration: 1 });
    cluster.metrics.set("analytics-g1-0", held);
    cluster.patchEngine(engineName, { spec: image("3") });
    await settle(cluster);
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "draining", drainingGeneration: 1 });
  });

  test("a command changes nothing but what is wanted", async () => {
    const cluster = await running();
    const plan = await command(cluster, "stop");
    expect(plan).toMatchObject({ status: null, steps: { phase: { from: "stable", to: "stable" } } });
    expect(plan.effects.every(({ type }) => type === "patchSpec")).toBe(true);
  });
});

describe("bad input", () => {
  const refused = async (spec: Record<string, unknown>, extra: (cluster: PlayedCluster) => void = () => undefined) => {
    const cluster = createPlayedCluster({ memory: "16Gi" });
    seedEngine(cluster, spec);
    extra(cluster);
    await cluster.pass(engineName);
    const plan = await cluster.pass(engineName);
    expect(plan.effects).toEqual([]);
    expect(cluster.all("StatefulSet")).toEqual([]);
    return ready(cluster);
  };

  test("an unknown class is named in the condition", async () => {
    expect(await refused({ engineClassRef: "big" })).toMatchObject({
      reason: "FireboltEngineClassNotFound",
      message: 'FireboltEngineClass "big" does not exist',
    });
  });

  test("a class with an owned field holds its engines", async () => {
    const condition = await refused({ engineClassRef: "big" }, (cluster) =>
      cluster.put({
        apiVersion: "compute.firebolt.io/v1alpha1",
        kind: "FireboltEngineClass",
        metadata: { name: "big", namespace: "shop" },
        spec: { template: { spec: { hostNetwork: true } } },
      }),
    );
    expect(condition).toMatchObject({ reason: "FireboltEngineClassUnready" });
    expect(condition?.message).toContain("spec.template.spec.hostNetwork");
  });

  test("a template with an owned field is refused with the field's path", async () => {
    const condition = await refused({ template: { spec: { containers: [{ name: "engine", command: ["sh"] }] } } });
    expect(condition).toMatchObject({ reason: "TemplateRejected" });
    expect(condition?.message).toContain("spec.template.spec.containers[engine].command");
  });

  test("resources above the maximum are refused", async () => {
    const resources = { limits: { memory: "17Gi" } };
    const condition = await refused({ template: { spec: { containers: [{ name: "engine", resources }] } } });
    expect(condition).toMatchObject({ reason: "ResourceBoundsExceeded" });
    expect(condition?.message).toContain("resources.limits.memory: 17Gi exceeds operator-configured maximum 16Gi");
  });

  test("an engine that runs keeps running when its spec becomes unacceptable", async () => {
    const cluster = await running();
    cluster.patchEngine(engineName, { spec: { template: { spec: { hostPID: true } } } });
    await settle(cluster);
    expect(ready(cluster)).toMatchObject({ reason: "TemplateRejected" });
    expect(cluster.all("Pod")).toHaveLength(2);
    expect(cluster.engine(engineName).status).toMatchObject({ currentGeneration: 0, observedGeneration: 1 });
  });
});
