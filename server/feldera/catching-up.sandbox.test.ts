import { afterAll, beforeAll, expect, test } from "vitest";
import { createPipelines, type Pipelines } from "./fixtures/pipelines";

let pipelines: Pipelines;
beforeAll(async () => void (pipelines = await createPipelines()));
afterAll(() => pipelines.stop());

const slowly = { env: { PIPELINE_INIT_MS: "9000", PIPELINE_BOOTSTRAP_MS: "9000", PIPELINE_REPLAY_MS: "9000" } };

test("a process catches up before it turns to what is wanted: views that were edited, then input that was stored", async () => {
  await pipelines.create("late", { deployment: { desired: "Provisioned" }, runtime_config: slowly });
  await pipelines.until("late", "Initializing");
  await pipelines.until("late", "Running");
  await pipelines.call("late", "/data", "POST", "first");
  await pipelines.ask("late", "stop", { force: true });
  await pipelines.until("late", "Stopped");
  await pipelines.edit("late", { program_code: "CREATE TABLE u (id INT);" });
  await pipelines.ask("late", "start");
  await pipelines.until("late", "Bootstrapping");
  // It is taken in at once, and acted on when the process has caught up.
  await pipelines.ask("late", "pause");
  await pipelines.until("late", "Replaying");
  expect((await pipelines.pipeline("late")).status.deployment_desired_status).toBe("Paused");
  await pipelines.until("late", "Paused");
  const taken = pipelines.passes
    .filter(({ key }) => key.name === "late")
    .flatMap(({ plan }) => plan?.steps.runtime ?? [])
    .flatMap(({ from, to }) => (from === to ? [] : [to]));
  expect(taken).toEqual([
    ...["Initializing", "Running", "Absent"],
    ...["Initializing", "Bootstrapping", "Replaying", "Paused"],
  ]);
});

test("a stop while it starts waits for the checkpoint, however soon it is asked for", async () => {
  await pipelines.create("hasty", {
    deployment: { desired: "Provisioned" },
    runtime_config: { env: { PIPELINE_INIT_MS: "9000", PIPELINE_CHECKPOINT_MS: "30000" } },
  });
  await pipelines.untilStatus("hasty", "initializing", (status) => {
    return status.deployment_runtime_status === "Initializing" && Boolean(status.storage_status_details);
  });
  await pipelines.ask("hasty", "stop", { force: false });
  const stopped = await pipelines.until("hasty", "Stopped");
  expect(stopped.storage_status_details).toMatchObject({ checkpoints: [{ uuid: "checkpoint-1" }] });
});
