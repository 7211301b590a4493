import { afterAll, beforeAll, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { createPipelines, type Pipelines } from "./fixtures/pipelines";

let pipelines: Pipelines;
/** Lifecycle and status on whose way the worker was killed. */
const killedAt: string[] = [];
let lives: Promise<void> = Promise.resolve();

beforeAll(async () => {
  pipelines = await createPipelines({
    onPlan: ({ steps }) => {
      for (const [lifecycle, { from, to }] of Object.entries(steps)) {
        const place = `${lifecycle} ${to}`;
        if (from === to || killedAt.includes(place)) continue;
        killedAt.push(place);
        lives = lives.then(() => pipelines.restartWorker());
      }
    },
  });
});
afterAll(() => pipelines.stop());

test("a worker that is killed on the way into every status loses nothing of a whole life", async () => {
  await pipelines.create("life");
  await pipelines.compiled("life");
  await pipelines.ask("life", "start");
  await pipelines.until("life", "Running");
  await pipelines.call("life", "/data", "POST", "first");
  await pipelines.ask("life", "pause");
  await pipelines.until("life", "Paused");
  await pipelines.ask("life", "resume");
  await pipelines.until("life", "Running");
  await pipelines.ask("life", "stop", { force: false });
  const stopped = await pipelines.until("life", "Stopped");
  expect(stopped).toMatchObject({ storage_status_details: { checkpoints: [{ processed_records: 1 }] } });
  expect(stopped.deployment_error).toBeUndefined();
  await pipelines.ask("life", "clear");
  await pipelines.untilStatus("life", "cleared", ({ storage_status }) => storage_status === "Cleared");
  await lives;
  await pipelines.remove("life");
  await pipelines.eventually("nothing is left", async () => {
    const kinds = [apis.statefulSet, apis.service, apis.persistentVolumeClaim, apis.job, apis.pod];
    const lists = await Promise.all(kinds.map((api) => pipelines.client.list(api, { namespace: "streams" })));
    return lists.every(({ items }) => items.length === 0);
  });
  expect(killedAt).toEqual(expect.arrayContaining(everyStatus));
});

const everyStatus = [
  ...["CompilingSql", "SqlCompiled", "CompilingRust", "Success"].map((status) => `program ${status}`),
  ...["Provisioning", "Provisioned", "Stopping", "Stopped"].map((status) => `resources ${status}`),
  ...["Initializing", "Running", "Paused"].map((status) => `runtime ${status}`),
  ...["InUse", "Clearing", "Cleared"].map((status) => `storage ${status}`),
];
