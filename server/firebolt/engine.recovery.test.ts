import { describe, expect, test } from "vitest";
import { type Plan } from "@/server/reconcile/plan";
import { createPlayedCluster, type PlayedCluster, seedEngine, settle } from "./fixtures/played-cluster";
import { change, engineName, image, namesOf, phaseOf, rollingTo, running } from "./fixtures/played-engine";

/** Dies after so many writes, the status among them. */
const dies = (cluster: PlayedCluster, after: number): Promise<Plan> => cluster.pass(engineName, after);
const onlyGeneration = (cluster: PlayedCluster) =>
  ["StatefulSet", "ConfigMap", "Service"].flatMap((kind) => cluster.all(kind).map(({ metadata }) => metadata.name));

describe("a worker that ends from stable to creating", () => {
  test("before the status is written has made nothing, and the next pass decides the same", async () => {
    const cluster = await running();
    change(cluster, image("2"));
    const lost = await dies(cluster, 0);
    expect(lost.status).toMatchObject({ phase: "creating", currentGeneration: 1 });
    expect(cluster.all("StatefulSet").map(({ metadata }) => metadata.name)).toEqual(["analytics-g0"]);
    expect(await cluster.pass(engineName)).toEqual(lost);
  });

  test("after the status is written leaves the generation to be made by the next pass", async () => {
    const cluster = await running();
    change(cluster, image("2"));
    await cluster.pass(engineName);
    expect(namesOf(await cluster.pass(engineName))).toEqual(["analytics-g1-config", "analytics-g1-hl", "analytics-g1"]);
  });
});

describe("a worker that ends in creating", () => {
  test.each([0, 1, 2, 3])("after %i objects leaves a generation that is finished, not begun again", async (made) => {
    const cluster = await rollingTo("creating");
    await dies(cluster, made);
    await settle(cluster);
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "stable", activeGeneration: 1 });
    expect(onlyGeneration(cluster)).toHaveLength(4);
  });

  test("while its pods are not ready leaves pods that are waited for", async () => {
    const cluster = await rollingTo("creating");
    await cluster.pass(engineName);
    cluster.playPods((pod) => !pod.startsWith("analytics-g1"));
    const plan = await cluster.pass(engineName);
    expect(plan).toMatchObject({ effects: [], requeueAfterMs: 5_000, status: { phase: "creating" } });
  });

  test("before it counts on from a generation that it gives up has deleted nothing, and decides the same again", async () => {
    const cluster = await rollingTo("creating");
    await cluster.pass(engineName);
    change(cluster, image("3"));
    const lost = await dies(cluster, 0);
    expect(namesOf(lost)).toEqual(["analytics-g1", "analytics-g1-hl", "analytics-g1-config"]);
    expect(cluster.get("StatefulSet", "analytics-g1")).not.toBeNull();
    expect(await cluster.pass(engineName)).toEqual(lost);
  });

  test.each([0, 1, 2, 3])(
    "after %i deletes of a given-up generation deletes the others before it builds",
    async (deleted) => {
      const cluster = await rollingTo("creating");
      await cluster.pass(engineName);
      change(cluster, { ...image("3"), replicas: 3 });
      await dies(cluster, 1 + deleted);
      expect(namesOf(await cluster.pass(engineName))).toEqual([
        ...["analytics-g1", "analytics-g1-hl", "analytics-g1-config"].slice(deleted),
        ...["analytics-g2-config", "analytics-g2-hl", "analytics-g2"],
      ]);
    },
  );

  test("that finds no resources of the current generation, though it was not counted on, makes them afresh", async () => {
    const cluster = await rollingTo("creating");
    await cluster.pass(engineName);
    change(cluster, { ...image("3"), replicas: 3 });
    for (const [kind, gone] of [
      ["StatefulSet", "analytics-g1"],
      ["Service", "analytics-g1-hl"],
      ["ConfigMap", "analytics-g1-config"],
    ] as const)
      cluster.remove(kind, gone);
    expect(namesOf(await cluster.pass(engineName))).toEqual(["analytics-g1-config", "analytics-g1-hl", "analytics-g1"]);
    await settle(cluster);
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "stable", activeGeneration: 1, readyReplicas: 3 });
    expect(JSON.stringify(cluster.get("ConfigMap", "analytics-g1-config"))).toContain("analytics-g1-2.");
  });

  test.each([
    ["StatefulSet", "analytics-g1"],
    ["ConfigMap", "analytics-g1-config"],
    ["Service", "analytics-g1-hl"],
  ])("without the %s that somebody took away makes it afresh, as the spec now says", async (kind, gone) => {
    const cluster = await rollingTo("creating");
    await cluster.pass(engineName);
    cluster.remove(kind, gone);
    await settle(cluster);
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "stable", activeGeneration: 1 });
    expect(onlyGeneration(cluster)).toHaveLength(4);
  });

  test("whose StatefulSet was taken away while the spec changed builds the new spec, its config too", async () => {
    const cluster = await rollingTo("creating");
    await cluster.pass(engineName);
    cluster.remove("StatefulSet", "analytics-g1");
    change(cluster, { ...image("3"), replicas: 3 });
    await settle(cluster);
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "stable", readyReplicas: 3 });
    expect(JSON.stringify(cluster.get("ConfigMap", "analytics-g1-config"))).toContain("analytics-g1-2.");
  });
});

test.each([
  ["of the same spec", () => undefined],
  ["of a spec that nobody wants any more", (cluster: PlayedCluster) => change(cluster, image("3"))],
])(
  "ready pods %s, left by a StatefulSet that is gone, do not count for the one that has its name now",
  async (_, meanwhile) => {
    const cluster = await rollingTo("creating");
    await cluster.pass(engineName);
    cluster.playPods();
    cluster.remove("StatefulSet", "analytics-g1");
    meanwhile(cluster);
    // The garbage collector has not come yet: the old pods are there, ready, under the very names and labels.
    for (let turn = 0; turn < 3; turn++) await cluster.pass(engineName);
    expect(phaseOf(cluster)).toBe("creating");
    expect(cluster.engine(engineName).status).toMatchObject({ currentGeneration: 1, activeGeneration: 0 });
    cluster.playPods();
    await settle(cluster);
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "stable", activeGeneration: 1 });
  },
);

describe("a worker that ends in switching", () => {
  test("before the Service is moved leaves it to the next pass", async () => {
    const cluster = await rollingTo("switching");
    await dies(cluster, 0);
    expect(namesOf(await cluster.pass(engineName))).toEqual(["analytics-service"]);
    expect(phaseOf(cluster)).toBe("switching");
  });

  test("after the Service is moved leaves nothing to move, and the next pass goes on", async () => {
    const cluster = await rollingTo("switching");
    await dies(cluster, 1);
    expect(namesOf(await cluster.pass(engineName))).toEqual([]);
    expect(cluster.engine(engineName).status).toMatchObject({ phase: "draining", drainingGeneration: 0 });
  });
});

test("a worker that ends in draining leaves a drain check that is run again", async () => {
  const cluster = await rollingTo("draining");
  cluster.metrics.set("analytics-g0-0", {
    status: 200,
    body: "firebolt_running_queries 1\nfirebolt_suspended_queries 0\n",
  });
  await dies(cluster, 0);
  expect((await cluster.pass(engineName)).status).toMatchObject({ phase: "draining" });
  cluster.metrics.clear();
  await dies(cluster, 0);
  expect((await cluster.pass(engineName)).status).toMatchObject({ phase: "cleaning" });
});

test.each([0, 1, 2, 3])(
  "a worker that ends in cleaning after %i deletes leaves the others to the next pass",
  async (deleted) => {
    const cluster = await rollingTo("cleaning");
    const lost = await dies(cluster, deleted);
    expect(namesOf(lost)).toEqual(["analytics-g0", "analytics-g0-hl", "analytics-g0-config"]);
    const again = await cluster.pass(engineName);
    expect(namesOf(again)).toEqual(namesOf(lost).slice(deleted));
    expect(again.status).toMatchObject({ phase: "stable" });
    expect(again.status).not.toHaveProperty("drainingGeneration", 0);
  },
);

test("a worker that ends in stable leaves no work", async () => {
  const cluster = await running();
  await dies(cluster, 0);
  expect(await cluster.plan(engineName)).toMatchObject({
    effects: [],
    steps: { phase: { from: "stable", to: "stable" } },
  });
});

test("a first deploy that is cut short at every pass serves all the same", async () => {
  const cluster = createPlayedCluster();
  seedEngine(cluster);
  for (let turn = 0; turn < 12; turn++) {
    await dies(cluster, turn % 4);
    await cluster.pass(engineName);
    cluster.playPods();
  }
  expect(cluster.engine(engineName).status).toMatchObject({ phase: "stable", activeGeneration: 0 });
});
