import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClusterUnderTest, virtualCluster } from "@/server/testing/cluster-under-test";
import { explore } from "@/server/testing/explore";
import { pipelineScenarios } from "./fixtures/pipeline-scenarios";

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await virtualCluster({ playsPods: true });
});
afterAll(() => cluster.stop());

// Many runs: with ORRERY_EXPLORE=all it takes minutes, and nothing here depends on how long.
const limits = { timeout: 3_600_000 };

test.each(pipelineScenarios)("over every fault, $name ends where it ends without one", limits, async (scenario) => {
  const { ran, divergences } = await explore(scenario, cluster);
  expect(divergences).toEqual([]);
  expect(ran).toBeGreaterThan(0);
});
