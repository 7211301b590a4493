import { afterAll, beforeAll, expect, test } from "vitest";
import { findCondition } from "@/machines/conditions";
import type { PipelineStatus } from "@/machines/feldera/pipeline.schema";
import { apis } from "@/server/kubernetes/apis";
import { createPipelines, type Pipelines } from "./fixtures/pipelines";

/** A cluster without the webhook: every edit comes in. */
let pipelines: Pipelines;
beforeAll(async () => void (pipelines = await createPipelines()));
afterAll(() => pipelines.stop());

const edits = ({ conditions }: PipelineStatus) => findCondition(conditions, "EditsApplied");
const until = (name: string, reason: string) =>
  pipelines.untilStatus(name, `told ${reason}`, (status) => edits(status)?.reason === reason);
const givenConfig = async (name: string) => {
  const configMap = await pipelines.object(apis.configMap, `pl-${name}-config`);
  const { "config.json": text = "" } = (configMap?.data ?? {}) as Record<string, string>;
  return JSON.parse(text) as unknown;
};

test("an edit while it runs waits until it is stopped, and says which fields", async () => {
  await pipelines.create("runs", { deployment: { desired: "Provisioned" } });
  expect(edits(await pipelines.until("runs", "Running"))).toMatchObject({ status: "True", reason: "Applied" });
  await pipelines.edit("runs", { program_code: "CREATE TABLE u (id INT);", runtime_config: { cpu_profiler: false } });
  const waiting = await until("runs", "WaitForStop");
  expect(edits(waiting)).toMatchObject({
    status: "False",
    message: "`program_code`, `runtime_config`: taken in once the pipeline is stopped",
  });
  expect(waiting).toMatchObject({ deployment_status: "Running", program_version: 1, program_status: "Success" });
  await pipelines.ask("runs", "stop", { force: true });
  const stopped = await until("runs", "Applied");
  expect(stopped).toMatchObject({ deployment_status: "Stopped", version: 2, program_version: 2 });
});

test("what the stored data depends on waits until it is cleared, over a stop and a start", async () => {
  const config = (workers: number) => ({ workers, resources: { storage_mb_max: workers * 8 } });
  await pipelines.create("stores", { deployment: { desired: "Provisioned" }, runtime_config: config(2) });
  await pipelines.until("stores", "Running");
  await pipelines.ask("stores", "stop", { force: true });
  await pipelines.until("stores", "Stopped");
  await pipelines.edit("stores", { runtime_config: { ...config(4), cpu_profiler: false } });
  expect(edits(await until("stores", "WaitForClear"))).toMatchObject({
    status: "False",
    message:
      "`runtime_config.workers`, `runtime_config.resources.storage_mb_max`: taken in once the storage is cleared",
  });
  await pipelines.ask("stores", "start");
  const running = await pipelines.until("stores", "Running");
  expect(edits(running)?.reason).toBe("WaitForClear");
  expect(running.deployment_config).toMatchObject({ ...config(2), cpu_profiler: false });
  expect(await givenConfig("stores")).toMatchObject({ ...config(2), cpu_profiler: false });
  await pipelines.ask("stores", "stop", { force: true });
  await pipelines.until("stores", "Stopped");
  await pipelines.ask("stores", "clear");
  const cleared = await until("stores", "Applied");
  expect(cleared).toMatchObject({ storage_status: "Cleared" });
  expect(cleared).not.toHaveProperty("storage_config");
  await pipelines.ask("stores", "start");
  expect((await pipelines.until("stores", "Running")).deployment_config).toMatchObject(config(4));
});

test("an edit that is taken back waits for nothing", async () => {
  await pipelines.create("returns", { deployment: { desired: "Provisioned" }, runtime_config: { workers: 2 } });
  await pipelines.until("returns", "Running");
  await pipelines.edit("returns", { runtime_config: { workers: 3 } });
  expect(edits(await until("returns", "WaitForClear"))?.message).toBe(
    "`runtime_config`: taken in once the pipeline is stopped; `runtime_config.workers`: taken in once the storage is cleared",
  );
  await pipelines.edit("returns", { runtime_config: { workers: 2 } });
  expect((await until("returns", "Applied")).deployment_status).toBe("Running");
});
