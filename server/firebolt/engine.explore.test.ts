import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClusterUnderTest, virtualCluster } from "@/server/testing/cluster-under-test";
import { explore } from "@/server/testing/explore";
import { engineScenarios } from "./fixtures/engine-scenarios";

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await virtualCluster();
});
afterAll(() => cluster.stop());

test.each(engineScenarios)("over every fault, $name ends where it ends without one", async (scenario) => {
  const { ran, divergences } = await explore(scenario, cluster);
  expect(divergences).toEqual([]);
  expect(ran).toBeGreaterThan(0);
});
