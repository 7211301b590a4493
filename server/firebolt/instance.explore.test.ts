import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClusterUnderTest, virtualCluster } from "@/server/testing/cluster-under-test";
import { explore } from "@/server/testing/explore";
import { instanceScenarios } from "./fixtures/instance-scenarios";

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await virtualCluster();
});
afterAll(() => cluster.stop());

// Many runs: with ORRERY_EXPLORE=all it takes minutes, and nothing here depends on how long.
const limits = { timeout: 3_600_000 };

test.each(instanceScenarios)("over every fault, $name ends where it ends without one", limits, async (scenario) => {
  const { ran, divergences } = await explore(scenario, cluster);
  expect(divergences).toEqual([]);
  expect(ran).toBeGreaterThan(0);
});
