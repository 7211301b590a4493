import { describe, expect, test } from "vitest";
import { observed } from "@/machines/lifecycle";
import { silentLog } from "@/server/observability/log";
import { computeEngine } from "./engine.compute";
import { readEngine } from "./engine.read";
import { type PlayedCluster, settle } from "./fixtures/played-cluster";
import { engineName, rollingTo, running } from "./fixtures/played-engine";

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

  test("a kind that cannot be listed holds up no other, and the engine stays until all was looked at", async () => {
    const cluster = await rollingTo("draining");
    const self = cluster.get("FireboltEngine", engineName);
    if (self) cluster.put({ ...self, metadata: { ...self.metadata, deletionTimestamp: "2026-01-01T01:00:00Z" } });
    const { live, ...world } = cluster.world();
    const list: typeof live.list = (api, where) =>
      api.kind === "ConfigMap" ? Promise.reject(new Error("no answer")) : live.list(api, where);
    const seen = await readEngine(
      cluster.engine(engineName),
      { ...world, live: { ...live, list } },
      { bounds: {}, log: silentLog },
    );
    const { effects, failure } = computeEngine(seen, observed, 0);
    expect(effects.map((effect) => effect.type === "delete" && effect.target.name)).toEqual([
      "analytics-g0",
      "analytics-g1",
      "analytics-g0-hl",
      "analytics-service",
      "analytics-g1-hl",
    ]);
    expect(failure).toEqual({ kind: "transient", message: "configmaps cannot be listed: no answer" });
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
