import { beforeAll, expect, test } from "vitest";
import { type Connection, connectionFrom } from "@/server/kubernetes/connection";
import { realCluster } from "@/server/testing/cluster-under-test";
import { explore, playClean } from "@/server/testing/explore";
import { seedOf, watchFaults, writeFaults } from "@/server/testing/faults";
import { widgetScenario } from "@/server/testing/fixtures/widget-scenario";

let connection: Connection;
beforeAll(async () => {
  const kubeconfig = process.env.KUBECONFIG;
  if (!kubeconfig) throw new Error("Name a disposable cluster with KUBECONFIG.");
  connection = await connectionFrom({ kubeconfig });
});

/** What is answered only by waiting for half a minute or more: on the virtual clock that costs nothing, here it would. */
const slow = new Set<string>(["noAnswer", "stall", "dropUntilReconnect", "oldView"]);

/** One fault of each kind, spread evenly over the places. */
function spread<Fault extends string>(faults: readonly Fault[], places: number): { number: number; fault: Fault }[] {
  const quick = faults.filter((fault) => !slow.has(fault));
  return quick.map((fault, turn) => ({ number: 1 + Math.floor((turn * places) / quick.length), fault }));
}

test("on a real API server, too, the worker ends over a fault of each kind where it ends without one", async () => {
  const cluster = realCluster(connection);
  const baseline = await playClean(widgetScenario, cluster);
  expect(baseline.problems).toEqual([]);
  const seeds = new Set([
    ...spread(writeFaults, baseline.writes).map((plan) => seedOf({ at: "write", ...plan })),
    ...spread(watchFaults, baseline.events).map((plan) => seedOf({ at: "event", ...plan })),
  ]);
  const { ran, missed, divergences } = await explore(widgetScenario, cluster, {
    baseline,
    only: (plan) => seeds.has(seedOf(plan)),
  });
  expect(divergences).toEqual([]);
  expect([ran, missed]).toEqual([seeds.size, 0]);
});
