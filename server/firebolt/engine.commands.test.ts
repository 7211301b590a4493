import { describe, expect, test } from "vitest";
import { createPlayedCluster, type PlayedCluster, readyInstance, seedEngine, settle } from "./fixtures/played-cluster";
import { change, engineName, image, phaseOf, ready, rollingTo, running } from "./fixtures/played-engine";

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
    expect(phaseOf(cluster)).toBe("stopped");
    await command(cluster, "start");
    await settle(cluster);
    expect(cluster.engine(engineName)).toMatchObject({ spec: { replicas: 3 }, status: { phase: "stable" } });
  });

  test("start knows the number of pods there was, whoever took them away", async () => {
    const cluster = await running({ replicas: 3 });
    change(cluster, { replicas: 0 });
    await settle(cluster);
    await command(cluster, "start");
    expect(cluster.engine(engineName).spec.replicas).toBe(3);
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
    change(cluster, image("3"));
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

  test("a class whose storage is no amount holds its engines, as the class itself says", async () => {
    const condition = await refused({ engineClassRef: "big" }, (cluster) =>
      cluster.put({
        apiVersion: "compute.firebolt.io/v1alpha1",
        kind: "FireboltEngineClass",
        metadata: { name: "big", namespace: "shop" },
        spec: { template: {}, storage: { persistentVolumeClaim: { size: "big" } } },
      }),
    );
    expect(condition).toMatchObject({ reason: "FireboltEngineClassUnready" });
    expect(condition?.message).toContain('spec.storage.persistentVolumeClaim.size: "big" is not a quantity');
  });

  test("a template with an owned field is refused with the field's path", async () => {
    const condition = await refused({ template: { spec: { containers: [{ name: "engine", command: ["sh"] }] } } });
    expect(condition).toMatchObject({ reason: "TemplateRejected" });
    expect(condition?.message).toContain("spec.template.spec.containers[engine].command");
  });

  test("another instance than the one it was made for is refused, and the engine stays where it is", async () => {
    const cluster = await running();
    cluster.put({ ...readyInstance(), metadata: { name: "other", namespace: "shop" } });
    change(cluster, { instanceRef: "other", ...image("2") });
    await settle(cluster);
    expect(ready(cluster)).toMatchObject({ status: "False", reason: "InstanceChanged" });
    expect(ready(cluster)?.message).toContain('spec.instanceRef: is immutable: the engine belongs to "main"');
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "stable", currentGeneration: 0 });
    cluster.remove("FireboltInstance", "other");
    change(cluster, { instanceRef: "main" });
    await settle(cluster);
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "stable", activeGeneration: 1 });
  });

  test("resources above the maximum are refused", async () => {
    const resources = { limits: { memory: "17Gi" } };
    const condition = await refused({ template: { spec: { containers: [{ name: "engine", resources }] } } });
    expect(condition).toMatchObject({ reason: "ResourceBoundsExceeded" });
    expect(condition?.message).toContain("resources.limits.memory: 17Gi exceeds operator-configured maximum 16Gi");
  });

  test("an engine that runs keeps running when its spec becomes unacceptable", async () => {
    const cluster = await running();
    change(cluster, { template: { spec: { hostPID: true } } });
    await settle(cluster);
    expect(ready(cluster)).toMatchObject({ reason: "TemplateRejected" });
    expect(cluster.all("Pod")).toHaveLength(2);
    expect(cluster.engine(engineName).status).toMatchObject({ currentGeneration: 0, observedGeneration: 1 });
  });
});
