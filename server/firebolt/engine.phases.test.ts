import { describe, expect, test } from "vitest";
import { turnsOf } from "@/server/reconcile/plan";
import { createPlayedCluster, seedEngine, settle } from "./fixtures/played-cluster";
import { change, engineName, image, namesOf, phaseOf, rollingTo, running } from "./fixtures/played-engine";

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

  test("the finalizer is on an engine before its first object is made", async () => {
    const cluster = createPlayedCluster();
    seedEngine(cluster);
    const { effects } = await cluster.pass(engineName);
    expect(effects).toEqual([{ type: "addFinalizer", finalizer: "compute.firebolt.io/engine-cleanup" }]);
    expect(namesOf(await cluster.pass(engineName))).toContain("analytics-g0");
  });

  test("a first deploy of no pods ends in stopped", async () => {
    const cluster = createPlayedCluster();
    seedEngine(cluster, { replicas: 0 });
    expect(await settle(cluster)).toEqual(["creating", "switching", "stopped"]);
  });

  test("a spec change in stable writes only the intent", async () => {
    const cluster = await running();
    change(cluster, image("2"));
    const plan = await cluster.pass(engineName);
    expect(plan.effects).toEqual([]);
    expect(plan.status).toMatchObject({ phase: "creating", currentGeneration: 1, activeGeneration: 0 });
  });

  test("a roll passes through every phase, and only one generation is left", async () => {
    const cluster = await running();
    change(cluster, image("2"));
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
    expect(phaseOf(cluster)).toBe("creating");
    expect((await cluster.plan(engineName)).requeueAfterMs).toBe(5_000);
  });

  test("a scale to zero is not held up by readiness and ends in stopped", async () => {
    const cluster = await running();
    change(cluster, { replicas: 0 });
    expect(await settle(cluster)).toEqual(["stable", "creating", "switching", "draining", "cleaning", "stopped"]);
    expect(cluster.get("StatefulSet", "analytics-g1")?.spec?.replicas).toBe(0);
    expect(cluster.get("ConfigMap", "analytics-g1-config")).not.toBeNull();
  });

  test("a spec that changes while creating abandons the generation: it is deleted, counted on, and built afresh by the next pass", async () => {
    const cluster = await running();
    change(cluster, image("2"));
    await cluster.pass(engineName);
    await cluster.pass(engineName);
    cluster.playPods(() => false);
    change(cluster, image("3"));
    const decided = await cluster.pass(engineName);
    expect(decided.status).toMatchObject({ phase: "creating", currentGeneration: 2 });
    expect(turnsOf(decided).beforeStatus).toEqual([]);
    expect(namesOf(decided)).toEqual(["analytics-g1", "analytics-g1-hl", "analytics-g1-config"]);
    expect(namesOf(await cluster.pass(engineName))).toEqual(["analytics-g2-config", "analytics-g2-hl", "analytics-g2"]);
    await settle(cluster);
    expect(cluster.all("StatefulSet").map(({ metadata }) => metadata.name)).toEqual(["analytics-g2"]);
  });

  test.each(["draining", "cleaning", "switching"])("a spec change while %s begins no generation", async (phase) => {
    const cluster = await rollingTo(phase);
    change(cluster, image("3"));
    const plan = await cluster.plan(engineName);
    expect(plan.status).toMatchObject({ currentGeneration: 1 });
  });

  test("a spec change during a roll is taken up once the roll is over", async () => {
    const cluster = await rollingTo("draining");
    change(cluster, image("3"));
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

  test.each([
    ["removed", null],
    ["pointed at another generation", { "firebolt.io/engine": engineName, "firebolt.io/generation": "7" }],
    ["pointed at another engine", { "firebolt.io/engine": "reporting", "firebolt.io/generation": "0" }],
    ["left without a selector", {}],
  ])("a Service that somebody %s is put back on the serving generation", async (_, selector) => {
    const cluster = await running();
    const service = cluster.get("Service", "analytics-service");
    if (selector && service) cluster.put({ ...service, spec: { ...service.spec, selector } });
    else cluster.remove("Service", "analytics-service");
    await settle(cluster);
    expect(cluster.get("Service", "analytics-service")?.spec).toMatchObject({
      selector: { "firebolt.io/engine": engineName, "firebolt.io/generation": "0" },
    });
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "stable", currentGeneration: 0 });
  });

  test("a stopped engine keeps StatefulSet, headless Service and ConfigMap, without a pod", async () => {
    const cluster = await running({ replicas: 0 });
    expect(cluster.get("StatefulSet", "analytics-g0")?.spec?.replicas).toBe(0);
    expect(cluster.get("Service", "analytics-g0-hl")).not.toBeNull();
    expect(cluster.get("ConfigMap", "analytics-g0-config")).not.toBeNull();
    expect(cluster.all("Pod")).toEqual([]);
  });

  test("a stopped engine that wants pods again begins a generation, as a stable one would", async () => {
    const cluster = await running({ replicas: 0 });
    change(cluster, { replicas: 2 });
    const plan = await cluster.pass(engineName);
    expect(plan).toMatchObject({ effects: [], status: { phase: "creating", currentGeneration: 1 } });
  });

  test("switching points the Service at the new generation and does nothing else", async () => {
    const cluster = await rollingTo("switching");
    const { effects } = await cluster.plan(engineName);
    const spec = { selector: { "firebolt.io/generation": "1" } };
    expect(effects).toMatchObject([{ type: "ensure", object: { metadata: { name: "analytics-service" }, spec } }]);
    expect(effects).toHaveLength(1);
  });

  test("cleaning deletes all that the old generation has and forgets it", async () => {
    const cluster = await rollingTo("cleaning");
    const { effects, status } = await cluster.pass(engineName);
    expect(effects.map((effect) => effect.type === "delete" && effect.target.name)).toEqual([
      "analytics-g0",
      "analytics-g0-hl",
      "analytics-g0-config",
    ]);
    expect(status?.drainingGeneration).toBeUndefined();
    expect(phaseOf(cluster)).toBe("stable");
  });

  test.each([
    ["stable", 2],
    ["stopped", 0],
  ])("an engine that is %s looks again after 30 s and changes nothing", async (phase, replicas) => {
    const cluster = await running({ replicas });
    const plan = await cluster.plan(engineName);
    expect(plan).toMatchObject({ effects: [], requeueAfterMs: 30_000, status: { phase } });
    expect(plan.status).toEqual(cluster.get("FireboltEngine", engineName)?.status);
  });

  test("settings of the drain never roll", async () => {
    const cluster = await running();
    change(cluster, { rollout: "recreate", drainCheckEnabled: false, drainCheckInterval: "1m" });
    await settle(cluster);
    expect(cluster.engine(engineName).status).toMatchObject({ currentGeneration: 0, observedGeneration: 2 });
  });
});
