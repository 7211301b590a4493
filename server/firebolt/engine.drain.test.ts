import { describe, expect, test } from "vitest";
import { settle } from "./fixtures/played-cluster";
import { engineName, phaseOf, ready, rollingTo } from "./fixtures/played-engine";

describe("drain", () => {
  const busy = (running: number, suspended = 0) => ({
    status: 200,
    body: `# TYPE x gauge\nfirebolt_running_queries ${running}\nfirebolt_suspended_queries ${suspended}\n`,
  });

  test.each([
    ["a running query", busy(1)],
    ["a suspended query", busy(0, 1)],
    ["a gauge below nothing that makes up for a query", busy(1, -1)],
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
    expect(ready(cluster)?.message).toBe("drain probe failed on pod analytics-g0-1 (gen 0): connection refused");
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
    expect(phaseOf(cluster)).toBe("cleaning");
  });

  test("an old generation without its StatefulSet counts as drained", async () => {
    const cluster = await rollingTo("draining");
    cluster.metrics.set("analytics-g0-0", busy(3));
    cluster.remove("StatefulSet", "analytics-g0");
    await cluster.pass(engineName);
    expect(phaseOf(cluster)).toBe("cleaning");
  });

  test("the interval is the engine's, else its class's", async () => {
    const cluster = await rollingTo("draining", { drainCheckInterval: "1m30s" });
    cluster.metrics.set("analytics-g0-0", busy(1));
    expect((await cluster.plan(engineName)).requeueAfterMs).toBe(90_000);
  });

  test("an interval of nothing is a second: the old pods are not asked without a pause", async () => {
    const cluster = await rollingTo("draining", { drainCheckInterval: "0s" });
    cluster.metrics.set("analytics-g0-0", busy(1));
    expect((await cluster.plan(engineName)).requeueAfterMs).toBe(1_000);
  });
});
