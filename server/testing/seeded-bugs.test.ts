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

/** Caught within a few plans, so cheap enough for every run; ORRERY_EXPLORE=all looks for the others, too. */
const quick = [
  "the queue hands a key out twice",
  "a failed pass is not queued again",
  "an old resourceVersion is accepted",
  "a relist deletes nothing",
  "the status is written before the effects",
  "the finalizer is removed before the clean-up",
  "a pass is done before it is applied",
];

test.each(process.env.ORRERY_EXPLORE === "all" ? Object.keys(seededBugs) : quick)(
  "the explorer catches: %s",
  limits,
  async (name) => {
    const bug = seededBugs[name];
    const scenario = { ...widgetScenario, name, worker: bug?.worker };
    const { divergences } = await explore(scenario, cluster, {
      baseline,
      only: ({ fault }) => bug?.faults.includes(fault) ?? false,
      near: bug?.near,
      stopAtFirst: true,
    });
    const [caught] = divergences;
    expect(caught?.problems.join("\n")).toMatch(bug?.shows ?? "");
    // It is the bug that was caught, not the fault: over the same one, the worker as it is ends well.
    const seed = caught?.seed ?? "";
    expect((await explore(widgetScenario, cluster, { baseline, seed })).divergences).toEqual([]);
  },
);
