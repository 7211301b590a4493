import { describe, expect, test } from "vitest";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type PlayedCluster, settle } from "./fixtures/played-cluster";
import { change, engineName, image, rollingTo, running } from "./fixtures/played-engine";

const kinds = ["StatefulSet", "Service", "ConfigMap"];
const objectsOf = (cluster: PlayedCluster) => kinds.flatMap((kind) => cluster.all(kind));
const generationOf = (cluster: PlayedCluster) => cluster.engine(engineName).status.currentGeneration;
const aClass = (name: string, value: string): KubernetesObject => ({
  apiVersion: "compute.firebolt.io/v1alpha1",
  kind: "FireboltEngineClass",
  metadata: { name, namespace: "shop" },
  spec: { template: { spec: { containers: [{ name: "engine", env: [{ name: "MODE", value }] }] } } },
});

describe("the objects of a generation", () => {
  test("are named after the engine and its number", async () => {
    const cluster = await running();
    expect(objectsOf(cluster).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "StatefulSet analytics-g0",
      "Service analytics-g0-hl",
      "Service analytics-service",
      "ConfigMap analytics-g0-config",
    ]);
  });

  test("carry the engine and the number as labels, and the engine as their owner", async () => {
    const cluster = await running();
    const { uid } = cluster.engine(engineName).metadata;
    for (const { metadata } of objectsOf(cluster)) {
      expect(metadata.labels?.["firebolt.io/engine"]).toBe(engineName);
      expect(metadata.ownerReferences).toMatchObject([
        { kind: "FireboltEngine", name: engineName, uid, controller: true },
      ]);
      expect(metadata.labels?.["firebolt.io/generation"]).toBe("0");
    }
  });

  test("share one Service, whose label says which of them it selects, and which goes with none of them", async () => {
    const cluster = await rollingTo("draining");
    const labelOf = () => cluster.get("Service", "analytics-service")?.metadata.labels?.["firebolt.io/generation"];
    expect(labelOf()).toBe("1");
    const service = cluster.get("Service", "analytics-service");
    const labels = { "firebolt.io/engine": engineName, "firebolt.io/generation": "0" };
    if (service) cluster.put({ ...service, metadata: { ...service.metadata, labels } });
    await settle(cluster);
    expect(cluster.get("StatefulSet", "analytics-g0")).toBeNull();
    expect(cluster.get("Service", "analytics-service")).not.toBeNull();
  });

  test("lead to pods by name before they are ready, and by the engine's Service only when they are", async () => {
    const cluster = await running();
    const selector = { "firebolt.io/engine": engineName, "firebolt.io/generation": "0" };
    expect(cluster.get("Service", "analytics-g0-hl")?.spec).toMatchObject({
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector,
    });
    expect(cluster.get("Service", "analytics-service")?.spec).toMatchObject({
      clusterIP: "None",
      publishNotReadyAddresses: false,
      selector,
    });
  });

  test("are of no more than two generations at any time of a roll", async () => {
    for (const phase of ["creating", "switching", "draining", "cleaning"]) {
      const cluster = await rollingTo(phase);
      await cluster.pass(engineName);
      expect(cluster.all("StatefulSet").length).toBeLessThanOrEqual(2);
    }
  });
});

describe("custom-engine-config-hash", () => {
  test("a change of the config rolls a generation with the new config", async () => {
    const cluster = await running({ customEngineConfig: { logging: { level: "info" } } });
    change(cluster, { customEngineConfig: { logging: { level: "debug" } } });
    await settle(cluster);
    expect(generationOf(cluster)).toBe(1);
    expect(JSON.stringify(cluster.get("ConfigMap", "analytics-g1-config"))).toContain("debug");
  });

  test("a change of nothing but protected paths rolls nothing: they are stripped before the hash", async () => {
    const cluster = await running({ customEngineConfig: { cache: { size: 1 } } });
    const owned = { schema_version: "9", endpoints: [], instance: { id: "x", auth: {} }, engine: { nodes: [] } };
    change(cluster, { customEngineConfig: { cache: { size: 1 }, ...owned } });
    await settle(cluster);
    expect(generationOf(cluster)).toBe(0);
  });
});

describe("engine-class-hash", () => {
  const classed = async () => {
    const cluster = await running();
    cluster.put(aClass("big", "a"));
    change(cluster, { engineClassRef: "big" });
    await settle(cluster);
    expect(generationOf(cluster)).toBe(1);
    return cluster;
  };

  test("an edit of the class in place rolls a generation", async () => {
    const cluster = await classed();
    cluster.put(aClass("big", "b"));
    await settle(cluster);
    expect(generationOf(cluster)).toBe(2);
  });

  test("another class rolls a generation", async () => {
    const cluster = await classed();
    cluster.put(aClass("small", "c"));
    change(cluster, { engineClassRef: "small" });
    await settle(cluster);
    expect(generationOf(cluster)).toBe(2);
  });

  test("no class any more rolls a generation without the annotation", async () => {
    const cluster = await classed();
    change(cluster, { engineClassRef: undefined });
    await settle(cluster);
    expect(generationOf(cluster)).toBe(2);
    const { annotations = {} } = cluster.get("StatefulSet", "analytics-g2")?.metadata ?? {};
    expect(annotations).not.toHaveProperty("firebolt.io/engine-class-hash");
    expect(annotations).toHaveProperty("firebolt.io/custom-engine-config-hash");
  });

  test("another class with the very same template rolls nothing", async () => {
    const cluster = await classed();
    cluster.put(aClass("twin", "a"));
    change(cluster, { engineClassRef: "twin" });
    await settle(cluster);
    expect(generationOf(cluster)).toBe(1);
  });
});

test("a number once used is never used again", async () => {
  const cluster = await running();
  for (const tag of ["2", "3"]) {
    change(cluster, image(tag));
    await settle(cluster);
  }
  expect(generationOf(cluster)).toBe(2);
});
