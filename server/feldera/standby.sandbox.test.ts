import { afterAll, beforeAll, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { createPipelines, type Pipelines } from "./fixtures/pipelines";

let pipelines: Pipelines;
beforeAll(async () => void (pipelines = await createPipelines()));
afterAll(() => pipelines.stop());

const started = { deployment: { desired: "Provisioned" } };
const runtime_config = { storage: { backend: { name: "file", config: { sync: { bucket: "checkpoints" } } } } };

test("Standby is had once: after it was activated only a clear brings it back", async () => {
  await pipelines.create("follows", { runtime_config });
  await pipelines.compiled("follows");
  expect(await pipelines.ask("follows", "start", { initial: "standby" })).toBe(true);
  const standby = await pipelines.until("follows", "Standby");
  expect(standby).toMatchObject({ deployment_desired_status: "Standby", deployment_initial: "Standby" });
  // What has no checkpoint of its own to make, nor input to take, is neither paused nor stopped gracefully.
  expect(await pipelines.ask("follows", "pause")).toBe(false);
  expect(await pipelines.ask("follows", "resume")).toBe(false);
  expect(await pipelines.ask("follows", "stop", { force: false })).toBe(false);
  await pipelines.ask("follows", "activate", { initial: "paused" });
  await pipelines.until("follows", "Paused");
  await pipelines.ask("follows", "stop", { force: false });
  expect((await pipelines.until("follows", "Stopped")).deployment_error).toBeUndefined();
  expect(await pipelines.ask("follows", "start", { initial: "standby" })).toBe(false);
  await pipelines.ask("follows", "clear");
  await pipelines.untilStatus("follows", "cleared", ({ storage_status }) => storage_status === "Cleared");
  expect(await pipelines.ask("follows", "start", { initial: "standby" })).toBe(true);
  await pipelines.until("follows", "Standby");
});

test("a Standby that was never activated is had again without a clear", async () => {
  await pipelines.create("patient", { runtime_config, deployment: { desired: "Provisioned", initial: "Standby" } });
  await pipelines.until("patient", "Standby");
  await pipelines.ask("patient", "stop", { force: true });
  await pipelines.until("patient", "Stopped");
  expect(await pipelines.ask("patient", "start", { initial: "standby" })).toBe(true);
  await pipelines.until("patient", "Standby");
});

const standby = { deployment: { desired: "Provisioned", initial: "Standby" } };
const refused = (name: string) =>
  pipelines.untilStatus(name, "refused", ({ deployment_error, deployment_status }) => {
    return deployment_error?.error_code === "InitialStandbyNotAllowed" && deployment_status === "Stopped";
  });

test("a Standby that no command would have asked for fails the start, and provisions nothing", async () => {
  await pipelines.create("lonely", standby);
  const status = await refused("lonely");
  expect(status).toMatchObject({ storage_status: "Cleared", deployment_desired_status: "Stopped" });
  expect(status.deployment_error?.message).toContain("storage.backend.config.sync");
});

test("nor is it had a second time by an edit of the spec, as long as its storage is not cleared", async () => {
  await pipelines.create("returns", { ...started, runtime_config });
  await pipelines.until("returns", "Running");
  await pipelines.edit("returns", { deployment: { desired: "Stopped" } });
  await pipelines.until("returns", "Stopped");
  await pipelines.edit("returns", standby);
  await refused("returns");
  await pipelines.edit("returns", { clear: 1, deployment: { desired: "Stopped" } });
  await pipelines.untilStatus("returns", "cleared", ({ storage_status }) => storage_status === "Cleared");
  await pipelines.edit("returns", standby);
  await pipelines.until("returns", "Standby");
});

test("a checkpoint that does not end is cut short by a forced stop", async () => {
  await pipelines.create("stuck", { ...started, runtime_config: { env: { PIPELINE_CHECKPOINT_MS: "9000000" } } });
  await pipelines.until("stuck", "Running");
  await pipelines.ask("stuck", "stop", { force: false });
  const suspending = await pipelines.untilStatus("stuck", "suspending", (status) => {
    return status.deployment_desired_status === "Suspended";
  });
  expect(suspending.deployment_resources_status).toBe("Provisioned");
  await pipelines.ask("stuck", "stop", { force: true });
  const stopped = await pipelines.until("stuck", "Stopped");
  expect(stopped.deployment_error).toBeUndefined();
  expect(stopped.storage_status_details).toEqual({ checkpoints: [] });
});

test("a stop takes an early start back: it was never more than wanted", async () => {
  await pipelines.create("regrets", { program_code: "-- compile_ms=60000\nCREATE TABLE t (id INT);" });
  await pipelines.ask("regrets", "start", { initial: "paused" });
  const wanted = await pipelines.untilStatus("regrets", "wanted", ({ deployment_initial }) =>
    Boolean(deployment_initial),
  );
  expect(wanted).toMatchObject({ deployment_status: "Stopped", deployment_desired_status: "Paused" });
  await pipelines.ask("regrets", "stop");
  await pipelines.untilStatus("regrets", "not wanted", ({ deployment_initial }) => !deployment_initial);
  await pipelines.compiled("regrets");
  await pipelines.clock.advance(10_000);
  const { status } = await pipelines.pipeline("regrets");
  expect(status).toMatchObject({ deployment_status: "Stopped", storage_status: "Cleared" });
});

test("a process that falls silent is Unavailable, takes no request, and is what it was once it answers again", async () => {
  await pipelines.create("mute", started);
  await pipelines.until("mute", "Running");
  await pipelines.call("mute", "/mute");
  const silent = await pipelines.until("mute", "Unavailable");
  expect(silent).toMatchObject({
    deployment_resources_status: "Provisioned",
    deployment_desired_status: "Unavailable",
  });
  expect(await pipelines.ask("mute", "pause")).toBe(false);
  await pipelines.clock.advance(60_000);
  expect((await pipelines.pipeline("mute")).status.deployment_status).toBe("Unavailable");
  await pipelines.call("mute", "/mute?off");
  expect((await pipelines.until("mute", "Running")).deployment_id).toBe(silent.deployment_id);
});

test("storage that is lost under a running pipeline is a resources error, not an empty volume", async () => {
  await pipelines.create("robbed", started);
  await pipelines.until("robbed", "Running");
  await pipelines.call("robbed", "/data", "POST", "first");
  const claim = { namespace: "streams", name: "pl-robbed-storage" };
  await pipelines.client.delete(apis.persistentVolumeClaim, claim);
  // Its finalizer holds it as long as a pod uses it.
  await pipelines.client.delete(apis.pod, { namespace: "streams", name: "pl-robbed-0" });
  const stopped = await pipelines.until("robbed", "Stopped");
  expect(stopped.deployment_error).toMatchObject({
    error_code: "RunnerCheckError",
    message: "the PersistentVolumeClaim was deleted",
  });
});
