import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "@/machines/families";
import type { Database } from "@/server/db/database";
import { createMetrics } from "@/server/observability/metrics";
import { createEngine, createNamespace, createReadyInstance } from "@/server/resources/fixtures/firebolt";
import { createStage, type Stage } from "@/server/resources/fixtures/stage";
import { measureWarnings } from "./projection-metrics";
import { createWarningWatch } from "./warning-watch";

const patient = { timeout: 60_000 };
/** Far longer than five tries took. */
const OUTAGE_MS = 600_000;

let stage: Stage;
let made = 0;
beforeAll(async () => {
  stage = await createStage();
  await createNamespace(stage, "shop");
  await createReadyInstance(stage, "shop");
  await createEngine(stage, { namespace: "shop", name: "analytics" });
});
afterAll(() => stage.stop());

async function warn(reason: string, about: { kind: string; name: string; uid: string }): Promise<void> {
  await stage.create({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `warning-${made++}`, namespace: "shop" },
    involvedObject: { apiVersion: "compute.firebolt.io/v1alpha1", namespace: "shop", ...about },
    type: "Warning",
    reason,
    message: `it is ${reason}`,
    count: 1,
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:00Z",
  });
}

const engine = { kind: "FireboltEngine", name: "analytics", uid: "engine-uid" };

/** A database that can be taken away and given back. */
function flakyDatabase() {
  const door = { away: false };
  const { database } = stage;
  const flaky: Database = {
    ...database,
    query: (...args) => (door.away ? Promise.reject(new Error("away")) : database.query(...args)),
  };
  return { door, flaky };
}

async function stored(): Promise<string[]> {
  const rows = await stage.database.query<{ reason: string }>(`SELECT "reason" FROM "WarningEvent" ORDER BY "reason"`);
  return rows.map(({ reason }) => reason);
}

test("warnings outlast an outage of the database, however long, and are stored when it is back", async () => {
  const { door, flaky } = flakyDatabase();
  const faults: unknown[] = [];
  const { client, clock } = stage;
  const watch = createWarningWatch({ client, clock, database: flaky, kinds, onError: (error) => faults.push(error) });
  watch.start();
  await warn("Early", engine);
  await expect.poll(stored, patient).toEqual(["Early"]);
  door.away = true;
  for (const reason of ["First", "Second", "Third"]) await warn(reason, engine);
  await warn("Nobodys", { kind: "Stranger", name: "x", uid: "stranger-uid" });
  await expect.poll(() => faults.length, patient).toBeGreaterThan(0);
  for (let passed = 0; passed < OUTAGE_MS; passed += 10_000) await clock.advance(10_000);
  await expect.poll(() => watch.state(), patient).toEqual({ buffered: 3, dropped: 0 });
  expect(faults.length).toBeGreaterThan(5);
  expect(await stored()).toEqual(["Early"]);
  door.away = false;
  await clock.advance(10_000);
  await watch.settled();
  expect(await stored()).toEqual(["Early", "First", "Second", "Third"]);
  expect(watch.state()).toEqual({ buffered: 0, dropped: 0 });
  await watch.stop();
});

test("what goes over the bound is the oldest, and is counted in a metric", async () => {
  await stage.database.query(`DELETE FROM "WarningEvent"`);
  const { door, flaky } = flakyDatabase();
  door.away = true;
  const { client, clock } = stage;
  const watch = createWarningWatch({ client, clock, database: flaky, kinds, bufferMax: 2 });
  const metrics = createMetrics();
  measureWarnings(metrics, watch);
  const before = made;
  watch.start();
  // The five of the other test are still with the API server.
  await expect.poll(() => watch.state().dropped, patient).toBe(before - 2);
  await warn("Newest", engine);
  await expect.poll(() => watch.state(), patient).toEqual({ buffered: 2, dropped: before - 1 });
  expect(metrics.text()).toContain(`orrery_warning_events_dropped_total ${before - 1}\n`);
  door.away = false;
  await clock.advance(20_000);
  await watch.settled();
  expect(await stored()).toContain("Newest");
  await watch.stop();
});
