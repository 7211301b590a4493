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

test("the worker is woken by a request, and not by its poll: the status follows while no time passes", async () => {
  await pipelines.create("woken");
  await pipelines.compiled("woken");
  expect(await atOnce("start")).toMatchObject({ deployment_status: "Provisioning", storage_status: "InUse" });
  await pipelines.until("woken", "Running");
  // Passed on to the process at once; its answer is looked at a moment later.
  await atOnce("pause");
  await pipelines.clock.advance(100);
  expect((await pipelines.pipeline("woken")).status.deployment_status).toBe("Paused");
  expect(await atOnce("stop", { force: true })).toMatchObject({ deployment_desired_status: "Stopped" });
  await pipelines.until("woken", "Stopped");
  expect(["Clearing", "Cleared"]).toContain((await atOnce("clear")).storage_status);
});
