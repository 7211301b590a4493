import { describe, expect, test } from "vitest";
import { observed } from "@/machines/lifecycle";
import { type Log, silentLog } from "@/server/observability/log";
import { type World } from "@/server/reconcile/world";
import { computeEngine } from "./engine.compute";
import { readEngine } from "./engine.read";
import { createPlayedCluster, type PlayedCluster, seedEngine } from "./fixtures/played-cluster";
import { change, engineName, image, rollingTo, running } from "./fixtures/played-engine";

const read = (cluster: PlayedCluster, world: Partial<World> = {}, log: Log = silentLog) =>
  readEngine(cluster.engine(engineName), { ...cluster.world(), ...world }, { bounds: {}, log });
const isDown = () => Promise.reject(new Error("the API server is down"));

describe("reading", () => {
  test.each(["StatefulSet", "ConfigMap", "Service", "FireboltInstance"])(
    "a %s that cannot be read is not taken for one that is absent",
    async (kind) => {
      const cluster = await running();
      const get: World["get"] = (api, ref) => (api.kind === kind ? isDown() : cluster.world().get(api, ref));
      await expect(read(cluster, { get })).rejects.toThrow("the API server is down");
    },
  );

  test("pods that cannot be read are not taken for pods that are not ready", async () => {
    const cluster = await running();
    const list: World["list"] = (api, where) => (api.kind === "Pod" ? isDown() : cluster.world().list(api, where));
    await expect(read(cluster, { list })).rejects.toThrow("the API server is down");
  });

  test("events that cannot be read are logged and fail nothing", async () => {
    const cluster = createPlayedCluster();
    seedEngine(cluster);
    for (let turn = 0; turn < 3; turn++) await cluster.pass(engineName);
    const told: string[] = [];
    const seen = await read(
      cluster,
      { live: { ...cluster.world().live, list: isDown } },
      { ...silentLog, warn: (message) => void told.push(message) },
    );
    expect(seen.warning).toBeNull();
    expect(told).toEqual(["no events"]);
  });

  test("a drain check that fails is logged, and the generation counts as not drained yet", async () => {
    const cluster = await rollingTo("draining");
    cluster.metrics.set("analytics-g0-1", new Error("connection refused"));
    const told: string[] = [];
    const seen = await read(cluster, {}, { ...silentLog, warn: (message) => void told.push(message) });
    expect(seen.drain?.drained).toBe(false);
    expect(told).toEqual(["not drained yet"]);
  });
});

describe("the gate", () => {
  test("comes after reading: what cannot be read fails the pass even when the instance is lost", async () => {
    const cluster = await running();
    cluster.remove("FireboltInstance", "main");
    const get: World["get"] = (api, ref) => (api.kind === "StatefulSet" ? isDown() : cluster.world().get(api, ref));
    await expect(read(cluster, { get })).rejects.toThrow("the API server is down");
  });

  test("comes before computing: a spec that changed begins nothing while the instance is lost", async () => {
    const cluster = await running();
    change(cluster, image("2"));
    cluster.remove("FireboltInstance", "main");
    const { steps, status } = computeEngine(await read(cluster), observed, 0);
    expect(steps.phase).toMatchObject({ from: "stable", to: "stable", actions: ["holdForInstance"] });
    expect(status).toMatchObject({ currentGeneration: 0 });
  });
});

describe("computing", () => {
  test("the same sight, event and time give the same plan, and nothing that was seen is changed", async () => {
    for (const phase of ["creating", "switching", "draining", "cleaning"]) {
      const cluster = await rollingTo(phase);
      const seen = await read(cluster);
      const before = structuredClone(seen);
      const now = Date.parse("2026-01-01T00:00:00Z");
      expect(computeEngine(seen, observed, now)).toEqual(computeEngine(seen, observed, now));
      expect(seen).toEqual(before);
    }
  });
});

describe("writing", () => {
  test("a generation is written as ConfigMap, headless Service, StatefulSet: no pod starts before what it reads", async () => {
    const cluster = await rollingTo("creating");
    const { effects } = await cluster.plan(engineName);
    expect(effects.map((effect) => effect.type === "ensure" && effect.object.kind)).toEqual([
      "ConfigMap",
      "Service",
      "StatefulSet",
    ]);
  });

  test("a status that could not be written is decided anew from what is there", async () => {
    const cluster = await rollingTo("cleaning");
    const lost = await cluster.pass(engineName, 3);
    expect(lost.status).toMatchObject({ phase: "stable" });
    expect(cluster.engine(engineName).status.phase).toBe("cleaning");
    expect((await cluster.pass(engineName)).status).toMatchObject({ phase: "stable" });
  });

  test("a gate that is shut writes the status once, with the condition in it, and nothing else", async () => {
    const cluster = await running();
    change(cluster, image("2"));
    cluster.remove("FireboltInstance", "main");
    const { effects, status } = await cluster.plan(engineName);
    expect(effects).toEqual([]);
    expect(status).toMatchObject({ conditions: [{ type: "InstanceReady", status: "False" }, { type: "Ready" }] });
  });
});
