import { describe, expect, test } from "vitest";
import { createPlayedCluster, type PlayedCluster, readyInstance, seedEngine, settle } from "./fixtures/played-cluster";
import { change, engineName, instanceReady, phaseOf, ready, rollingTo, running } from "./fixtures/played-engine";

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
    change(cluster, { replicas: 3 });
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

  const failingDrain = async () => {
    const cluster = await rollingTo("draining");
    cluster.metrics.set("analytics-g0-0", new Error("connection refused"));
    return cluster;
  };
  const withoutPods = async () => {
    const cluster = await running();
    cluster.playPods(() => false);
    return cluster;
  };

  test.each([
    ["Stopped", () => running({ replicas: 0 })],
    ["Rolling in creating", () => rollingTo("creating")],
    ["Rolling in switching", () => rollingTo("switching")],
    ["DrainCheckFailing", failingDrain],
    ["Rolling in cleaning", () => rollingTo("cleaning")],
    ["PodsNotReady", withoutPods],
    ["EngineReady", running],
  ])("an instance that is not ready wins over %s", async (_, engineThatIs) => {
    const cluster = await engineThatIs();
    cluster.remove("FireboltInstance", "main");
    await cluster.pass(engineName);
    expect(ready(cluster)).toMatchObject({
      status: "False",
      reason: "InstanceNotReady",
      message: "Referenced FireboltInstance is not ready",
    });
  });

  test("a stopped engine is Stopped and not PodsNotReady while a pod of it is still there", async () => {
    const cluster = await running({ replicas: 0 });
    const set = cluster.get("StatefulSet", "analytics-g0");
    const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "analytics-g0", controller: true };
    const metadata = {
      name: "late",
      namespace: "shop",
      labels: set?.metadata.labels,
      ownerReferences: [{ ...owner, uid: set?.metadata.uid ?? "" }],
    };
    cluster.put({ apiVersion: "v1", kind: "Pod", metadata, status: {} });
    await cluster.pass(engineName);
    expect(ready(cluster)?.reason).toBe("Stopped");
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

  test("they are asked for as soon as a StatefulSet lacks pods, however new it is", async () => {
    const cluster = await stuck();
    const set = cluster.get("StatefulSet", "analytics-g0");
    const creationTimestamp = new Date(cluster.world().now).toISOString();
    if (set) cluster.put({ ...set, metadata: { ...set.metadata, creationTimestamp } });
    await cluster.pass(engineName);
    expect(ready(cluster)?.reason).toBe("FailedCreate");
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
    expect(phaseOf(cluster)).toBe("stable");
  });

  test("a stable engine that lacks pods is looked at again in 5 s: nobody tells when the reason becomes known", async () => {
    const cluster = await running();
    for (const { metadata } of cluster.all("Pod")) cluster.remove("Pod", metadata.name);
    expect((await cluster.pass(engineName)).requeueAfterMs).toBe(5_000);
    expect(ready(cluster)).toMatchObject({ reason: "PodsNotReady" });
    cluster.events.push(failedCreate);
    expect((await cluster.pass(engineName)).requeueAfterMs).toBe(5_000);
    expect(ready(cluster)).toMatchObject({ reason: "FailedCreate" });
  });

  test("a drain check that fails is not overridden by an event", async () => {
    const cluster = await rollingTo("draining");
    cluster.events.push(failedCreate);
    cluster.metrics.set("analytics-g0-0", new Error("connection refused"));
    cluster.remove("Pod", "analytics-g1-0");
    cluster.questions.length = 0;
    await cluster.pass(engineName);
    expect(cluster.questions).toEqual([]);
    expect(ready(cluster)?.reason).toBe("DrainCheckFailing");
  });

  test.each(["switching", "cleaning"])(
    "an engine in %s that lost a pod of its newest generation says why",
    async (phase) => {
      const cluster = await rollingTo(phase);
      cluster.events.push(failedCreate);
      cluster.remove("Pod", "analytics-g1-0");
      await cluster.pass(engineName);
      expect(ready(cluster)?.reason).toBe("FailedCreate");
    },
  );

  test("a stopped engine asks for no events: it lacks no pods", async () => {
    const cluster = await running({ replicas: 0 });
    cluster.events.push(failedCreate);
    cluster.questions.length = 0;
    await cluster.pass(engineName);
    expect(cluster.questions).toEqual([]);
    expect(ready(cluster)?.reason).toBe("Stopped");
  });

  test("a reason that no condition may carry is replaced", async () => {
    const cluster = await stuck();
    cluster.events[0] = { ...failedCreate, reason: "not a word" };
    await cluster.pass(engineName);
    expect(ready(cluster)?.reason).toBe("StatefulSetWarning");
  });
});
