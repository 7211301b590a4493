import { afterAll, beforeAll, expect, test } from "vitest";
import { createPipelines, type Pipelines } from "./fixtures/pipelines";

let pipelines: Pipelines;
beforeAll(async () => void (pipelines = await createPipelines()));
afterAll(() => pipelines.stop());

/** What a request comes to while no time passes: nothing that waits for an interval can have had a part in it. */
async function atOnce(type: string, args: Record<string, unknown> = {}) {
  const before = pipelines.clock.now();
  await pipelines.ask("woken", type, args);
  await pipelines.clock.settle();
  expect(pipelines.clock.now()).toBe(before);
  return (await pipelines.pipeline("woken")).status;
}

/** Passed on to the process at once; its answer is looked at a moment later. */
async function inAMoment(type: string, args: Record<string, unknown> = {}) {
  await atOnce(type, args);
  await pipelines.clock.advance(100);
  return (await pipelines.pipeline("woken")).status;
}

test("the worker is woken by each request, and not by its poll: the status follows while no time passes", async () => {
  await pipelines.create("woken");
  await pipelines.compiled("woken");
  expect(await atOnce("start")).toMatchObject({ deployment_status: "Provisioning", storage_status: "InUse" });
  await pipelines.until("woken", "Running");
  expect(await inAMoment("pause")).toMatchObject({ deployment_status: "Paused" });
  expect(await inAMoment("resume")).toMatchObject({ deployment_status: "Running" });
  expect(await inAMoment("activate", { initial: "paused" })).toMatchObject({ deployment_status: "Paused" });
  expect(await inAMoment("stop", { force: false })).toMatchObject({ deployment_desired_status: "Suspended" });
  await pipelines.until("woken", "Stopped");
  expect(["Clearing", "Cleared"]).toContain((await atOnce("clear")).storage_status);
  await pipelines.ask("woken", "start");
  await pipelines.until("woken", "Running");
  await pipelines.call("woken", "/panic");
  expect((await pipelines.until("woken", "Stopped")).deployment_error).toBeDefined();
  expect((await atOnce("dismissError")).deployment_error).toBeUndefined();
  await pipelines.ask("woken", "start");
  await pipelines.until("woken", "Running");
  expect(await atOnce("stop", { force: true })).toMatchObject({ deployment_desired_status: "Stopped" });
});
