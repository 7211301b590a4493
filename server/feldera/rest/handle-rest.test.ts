import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type PipelineStatus } from "@/machines/feldera/pipeline.schema";
import { createRest, failed, provisioned, type Rest, stopping } from "./fixtures/rest";
import { handleRest } from "./handle-rest";

let rest: Rest;
beforeAll(async () => void (rest = await createRest()));
beforeEach(() => rest.later());
afterAll(() => rest.stop());

const call: Rest["call"] = (...asked) => rest.call(...asked);
const at: Rest["at"] = (status) => rest.at(status);

test("a pipeline is created, shown light or whole, edited and deleted", async () => {
  const created = await call("POST", "pipelines", { name: "life", program_code: "CREATE TABLE t (id INT);" });
  expect(created).toMatchObject({ status: 201, body: { name: "life", version: 1, program_status: "Pending" } });
  expect((await call("GET", "pipelines/life?selector=status")).body).not.toHaveProperty("program_code");
  expect((await call("GET", "pipelines/life")).body).toMatchObject({ program_code: "CREATE TABLE t (id INT);" });
  const patched = await call("PATCH", "pipelines/life", { description: "changed" });
  expect(patched).toMatchObject({
    status: 200,
    body: { description: "changed", program_code: "CREATE TABLE t (id INT);" },
  });
  const put = await call("PUT", "pipelines/life", { name: "life", program_code: "CREATE TABLE u (id INT);" });
  expect(put).toMatchObject({ status: 200, body: { description: "", program_code: "CREATE TABLE u (id INT);" } });
  expect((await call("DELETE", "pipelines/life")).status).toBe(200);
  expect(await call("GET", "pipelines/life")).toMatchObject({
    status: 404,
    body: { error_code: "UnknownPipelineName" },
  });
});

const timed = ["resources", "runtime"].flatMap((what) => [
  `deployment_${what}_status`,
  `deployment_${what}_desired_status`,
]);
const combined = ["deployment_status", "deployment_desired_status", "program_status"];

test("a pipeline is shown with every field of its statuses, and a config of its deployment while it has one", async () => {
  const deployment_config = { workers: 4 };
  const { body } = await call(
    "GET",
    `pipelines/${await at({ ...provisioned, deployment_id: "d", deployment_config })}`,
  );
  for (const field of [...timed, ...combined].flatMap((status) => [status, `${status}_since`]))
    expect(body).toHaveProperty(field);
  for (const field of ["deployment_id", "deployment_error", "deployment_initial", "storage_status"])
    expect(body).toHaveProperty(field);
  for (const field of ["code", "config", "info", "error", "version"]) expect(body).toHaveProperty(`program_${field}`);
  expect(body).toMatchObject({ udf_rust: "", udf_toml: "", deployment_config });
  expect((await call("GET", `pipelines/${await at()}`)).body).toMatchObject({ deployment_config: null });
});

test("whoever asked sees what was asked for at once, before any pass", async () => {
  const name = await at({ program_status: "SqlError", storage_status: "InUse", ...failed });
  const edited = await call("PATCH", `pipelines/${name}`, { program_code: "CREATE TABLE z (id INT);" });
  const compiles = { program_status: "Pending", program_version: 2, version: 2, program_error: {} };
  expect(edited.body).toMatchObject(compiles);
  expect((await call("POST", `pipelines/${name}/dismiss_error`)).status).toBe(200);
  expect((await call("POST", `pipelines/${name}/dismiss_error`)).status).toBe(200);
  expect((await call("POST", `pipelines/${name}/start?initial=paused`)).status).toBe(202);
  expect((await call("GET", `pipelines/${name}`)).body).toMatchObject({
    ...compiles,
    deployment_error: null,
    deployment_status: "Stopped",
    deployment_desired_status: "Paused",
    deployment_resources_desired_status: "Provisioned",
    deployment_initial: "Paused",
  });
  const refused = async (method: string, path: string, body?: unknown) =>
    (await call(method, `pipelines/${name}${path}`, body)).body.error_code;
  expect(await refused("POST", "/start")).toBe("InitialImmutableUnlessStopped");
  expect(await refused("POST", "/clear")).toBe("StorageStatusImmutableUnlessStopped");
  expect(await refused("DELETE", "")).toBe("DeleteRestrictedToFullyStopped");
  expect(await refused("PATCH", "", { program_code: "" })).toBe("UpdateRestrictedToStopped");
  expect((await call("POST", `pipelines/${name}/stop`)).body.message).toBe("Pipeline is forcefully stopping");
  expect((await call("POST", `pipelines/${name}/clear`)).status).toBe(202);
  expect((await call("GET", `pipelines/${name}?selector=status`)).body).toMatchObject({
    storage_status: "Clearing",
    deployment_desired_status: "Stopped",
    deployment_initial: null,
  });
  expect(await refused("POST", "/start")).toBe("CannotStartWhileClearingStorage");
});

test("what waits, or cannot be asked, is told with its reason", async () => {
  const ready = { type: "Ready", reason: "x", message: "no room for its pod" };
  const conditions = [{ ...ready, status: "False" as const, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const shown = async (status: Partial<PipelineStatus>, selector = "all") => {
    const { body } = await call("GET", `pipelines/${await at({ ...status, conditions })}?selector=${selector}`);
    return [body.deployment_resources_status_details, body.deployment_runtime_status_details];
  };
  const reason = { reason: "no room for its pod" };
  const coming = {
    ...provisioned,
    deployment_resources_status: "Provisioning",
    deployment_status: "Provisioning",
  } as const;
  const silent = {
    ...provisioned,
    deployment_status: "Unavailable",
    deployment_runtime_status: "Unavailable",
  } as const;
  expect(await shown({ ...coming, deployment_runtime_status: null })).toEqual([reason, null]);
  expect(await shown(stopping)).toEqual([reason, null]);
  expect(await shown(silent)).toEqual([null, reason]);
  expect(await shown(silent, "status")).toEqual([undefined, reason]);
  expect(await shown(provisioned)).toEqual([null, null]);
  expect(await shown({})).toEqual([null, null]);
});

test("configurations are shown with what they leave out, and keep what they do not know", async () => {
  const given = { runtime_config: { workers: 2, storage: { backend: { config: { prefix: "" } } }, novelty: 1 } };
  const { body } = await call("POST", "pipelines", { name: "defaults", ...given });
  expect(body).toMatchObject({
    runtime_config: {
      workers: 2,
      hosts: 1,
      storage: { backend: { name: "default", config: { prefix: "" } }, compression: "default" },
      fault_tolerance: { model: "none", checkpoint_interval_secs: 60 },
      cpu_profiler: true,
      tracing: false,
      tracing_endpoint_jaeger: "127.0.0.1:6831",
      min_batch_size_records: 0,
      max_buffering_delay_usecs: 0,
      clock_resolution_usecs: 1_000_000,
      pin_cpus: [],
      dev_tweaks: {},
      env: {},
      novelty: 1,
    },
    program_config: { cache: true, use_platform_compiler: false },
  });
});

test("nobody comes in without a token", async () => {
  const response = await handleRest(rest.stage.services, new Request("http://orrery.test/v0/pipelines"), {
    namespace: "default",
  });
  expect(response.status).toBe(401);
});
