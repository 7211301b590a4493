import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClusterUnderTest, virtualCluster } from "@/server/testing/cluster-under-test";
import { explore } from "@/server/testing/explore";
import { widgetScenario } from "@/server/testing/fixtures/widget-scenario";

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await virtualCluster();
});
afterAll(() => cluster.stop());

test("over every fault the worker ends where it ends without one", async () => {
  const { ran, divergences } = await explore(widgetScenario, cluster);
  expect(divergences).toEqual([]);
  expect(ran).toBeGreaterThan(0);
});
