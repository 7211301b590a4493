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

// Several runs each: on a busy machine that takes a while, and nothing here depends on how long.
const limits = { timeout: 600_000 };

test.each(Object.entries(seededBugs))("the explorer catches: %s", limits, async (name, bug) => {
  const scenario = { ...widgetScenario, name, worker: bug.worker };
  const { divergences } = await explore(scenario, cluster, {
    baseline,
    only: ({ fault }) => bug.faults.includes(fault),
    near: bug.near,
    stopAt: bug.shows,
  });
  const caught = divergences.find(({ problems }) => bug.shows.test(problems.join("\n")));
  expect(caught, JSON.stringify(divergences)).toBeDefined();
  // It is the bug that was caught, not the fault: over the same one, the worker as it is ends well.
  const { ran, divergences: none } = await explore(widgetScenario, cluster, { baseline, seed: caught?.seed ?? "" });
  expect([ran, none]).toEqual([1, []]);
});
