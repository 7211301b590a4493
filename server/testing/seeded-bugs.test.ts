import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClusterUnderTest, virtualCluster } from "@/server/testing/cluster-under-test";
import { explore, playClean, type Run } from "@/server/testing/explore";
import { seededBugs } from "@/server/testing/fixtures/seeded-bugs";
import { widgetScenario } from "@/server/testing/fixtures/widget-scenario";

let cluster: ClusterUnderTest;
let baseline: Run;
beforeAll(async () => {
  cluster = await virtualCluster();
  baseline = await playClean(widgetScenario, cluster);
});
afterAll(() => cluster.stop());

test.each(Object.keys(seededBugs))("the explorer catches: %s", async (name) => {
  const bug = seededBugs[name];
  const scenario = { ...widgetScenario, name, worker: bug?.worker };
  const { divergences } = await explore(scenario, cluster, {
    baseline,
    only: ({ fault }) => bug?.faults.includes(fault) ?? false,
    stopAtFirst: true,
  });
  expect(divergences).not.toEqual([]);
});
