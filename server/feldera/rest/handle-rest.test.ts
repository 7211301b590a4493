import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { pipelineSchema, type PipelineStatus } from "@/machines/feldera/pipeline.schema";
import { createStage } from "@/server/resources/fixtures/stage";
import { coreHash, programHash } from "../program-hash";
import { handleRest } from "./handle-rest";

type Stage = Awaited<ReturnType<typeof createStage>>;
let stage: Stage;
beforeAll(async () => void (stage = await createStage()));
// So many requests in no time would be too many.
beforeEach(() => stage.clock.advance(60_000));
afterAll(() => stage.stop());

async function call(method: string, path: string, body?: unknown) {
  const request = new Request(`http://orrery.test/v0/${path}`, {
    method,
    headers: { authorization: `Bearer ${stage.sandbox.adminToken}` },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const response = await handleRest(stage.services, request, { namespace: "default" });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

let made = 0;
/** A pipeline that is where the test wants it. */
async function at(status: Partial<PipelineStatus> = {}): Promise<string> {
  const name = `p${++made}`;
  const { deployment_resources_desired_status: desired = "Stopped" } = status;
  const object = await stage.create({
    apiVersion: "feldera.com/v1alpha1",
    kind: "Pipeline",
    metadata: { name, namespace: "default" },
    spec: { program_code: "CREATE TABLE t (id INT);", deployment: { desired } },
  });
  const { spec } = pipelineSchema.parse(object);
  const handled = {
    program: programHash(spec),
    core: coreHash(spec),
    desired: status.deployment_resources_desired_status,
  };
  await stage.setStatus(object, { program_status: "Success", handled, ...status });
  return name;
}

const wanted = { deployment_resources_desired_status: "Provisioned" } as const;
const provisioned = {
  ...wanted,
  deployment_resources_status: "Provisioned",
  deployment_status: "Running",
  deployment_runtime_status: "Running",
  deployment_runtime_desired_status: "Running",
  deployment_initial: "Running",
  storage_status: "InUse",
} as const;
const stopping = {
  deployment_resources_status: "Stopping",
  deployment_status: "Stopping",
  storage_status: "InUse",
} as const;
const failed = { deployment_error: { message: "it broke", error_code: "RuntimeError" } } as const;

// prettier-ignore
test.each([
  // where it is                                              request                            answer
  [{},                                                        "start",                           202, null],
  [{ program_status: "Pending" },                             "start",                           202, null],
  [{ program_status: "SqlError" },                            "start",                           400, "CannotStartWithCompilationError"],
  [{ storage_status: "Clearing" },                            "start",                           400, "CannotStartWhileClearingStorage"],
  [{},                                                        "start?initial=standby",           400, "InitialStandbyNotAllowed"],
  [{},                                                        "start?initial=asleep",            405, "UnsupportedPipelineAction"],
  [{ ...failed },                                             "start",                           202, null],
  [{ ...failed },                                             "start?dismiss_error=false",       400, "CannotStartWithUndismissedError"],
  [{ ...stopping },                                           "start",                           400, "IllegalPipelineAction"],
  [{ ...provisioned },                                        "start?initial=running",           202, null],
  [{ ...provisioned },                                        "start?initial=paused",            400, "InitialImmutableUnlessStopped"],
  [{},                                                        "start?dismiss_error=perhaps",     400, "InvalidQueryParam"],
  [{},                                                        "stop",                            202, null],
  [{ ...provisioned },                                        "stop?force=gently",               400, "InvalidQueryParam"],
  [{ ...stopping },                                           "stop",                            202, null],
  [{ ...provisioned },                                        "stop?force=true",                 202, null],
  [{ ...provisioned },                                        "stop",                            202, null],
  [{ ...provisioned, deployment_runtime_status: "Unavailable",
     deployment_runtime_desired_status: "Unavailable" },      "stop",                            503, "PipelineUnavailable"],
  [{ ...provisioned, deployment_runtime_status: "Standby",
     deployment_runtime_desired_status: "Standby" },          "stop",                            400, "InvalidTransition"],
  [{},                                                        "clear",                           202, null],
  [{ storage_status: "InUse" },                               "clear",                           202, null],
  [{ storage_status: "Clearing" },                            "clear",                           202, null],
  [{ ...provisioned },                                        "clear",                           400, "StorageStatusImmutableUnlessStopped"],
  [{ ...stopping },                                           "clear",                           400, "StorageStatusImmutableUnlessStopped"],
  [{},                                                        "pause",                           503, "PipelineInteractionNotDeployed"],
  [{},                                                        "resume",                          503, "PipelineInteractionNotDeployed"],
  [{},                                                        "activate",                        503, "PipelineInteractionNotDeployed"],
  [{},                                                        "activate?initial=standby",        400, "InvalidActivateStatus"],
  [{ ...provisioned, deployment_runtime_status: "Unavailable" }, "pause",                        503, "PipelineUnavailable"],
  // Its pod has no address: it cannot be asked.
  [{ ...provisioned },                                        "pause",                           503, "PipelineInteractionUnreachable"],
  [{ ...provisioned },                                        "resume",                          503, "PipelineInteractionUnreachable"],
  [{ ...provisioned },                                        "activate",                        503, "PipelineInteractionUnreachable"],
  [{},                                                        "dismiss_error",                   200, null],
  [{ ...failed },                                             "dismiss_error",                   200, null],
  [{ ...stopping, ...failed },                                "dismiss_error",                   400, "DismissErrorRestrictedToFullyStopped"],
] as const)("with %o, %s is answered %i %s", async (status, request, code, error) => {
  const name = await at(status);
  const { body: before } = await call("GET", `pipelines/${name}`);
  const answer = await call("POST", `pipelines/${name}/${request}`);
  expect([answer.status, answer.body.error_code ?? null]).toEqual([code, error]);
  if (error) expect((await call("GET", `pipelines/${name}`)).body).toEqual(before);
});

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

// prettier-ignore
test.each([
  ["POST",   "pipelines",               { name: "" },                                          400, "EmptyName"],
  ["POST",   "pipelines",               { name: "Upper_Case" },                                400, "NameDoesNotMatchPattern"],
  ["POST",   "pipelines",               { name: "x".repeat(300) },                             400, "TooLongName"],
  ["POST",   "pipelines",               "{ not json",                                          400, "InvalidRequestBody"],
  ["POST",   "pipelines",               { name: "a", colour: "red" },                          400, "InvalidRequestBody"],
  ["POST",   "pipelines",               { name: "a", program_code: "x".repeat(650_000) },      413, "PayloadTooLarge"],
  ["POST",   "pipelines",               { name: "a", program_code: "x".repeat(2_100_000) },    413, "PayloadTooLarge"],
  ["POST",   "pipelines",               { name: "a", runtime_config: { workers: 0 } },         400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", runtime_config: { env: { RUST_LOG: "" } } }, 400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", runtime_config: { env: { "A=B": "1" } } },  400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", runtime_config: { resources: { memory_mb_min: 2, memory_mb_max: 1 } } }, 400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", runtime_config: { resources: { storage_mb_max: 0 } } }, 400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", runtime_config: { resources: { service_account_name: "A B" } } }, 400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", runtime_config: { cpu_profiler: "yes" } }, 400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", runtime_config: "{}" },                   400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", program_config: { profile: "fast" } },    400, "InvalidProgramConfig"],
  ["POST",   "pipelines",               { name: "a", program_config: 7 },                      400, "InvalidProgramConfig"],
  ["POST",   "pipelines",               { name: "a", description: "x".repeat(301) },           400, "TooLongDescription"],
  ["POST",   "pipelines",               { name: "a", tags: Array(51).fill("x") },              400, "TooManyTags"],
  ["POST",   "pipelines",               { name: "a", tags: ["good", "<b>"] },                  400, "InvalidTag"],
  ["POST",   "pipelines",               { name: "a", tags: ["x".repeat(51)] },                 400, "InvalidTag"],
  ["POST",   "pipelines",               { name: "-a" },                                        400, "NameDoesNotMatchPattern"],
  ["POST",   "pipelines",               {},                                                    400, "EmptyName"],
  ["POST",   "pipelines",               "[]",                                                  400, "InvalidRequestBody"],
  ["POST",   "pipelines",               "",                                                    400, "InvalidRequestBody"],
  ["POST",   "pipelines",               { name: "a", program_code: 7 },                        400, "InvalidRequestBody"],
  ["POST",   "pipelines",               { name: "a", program_code: "x".repeat(1_999_000) },    413, "PayloadTooLarge"],
  ["PATCH",  "pipelines/nobody",        { description: "" },                                   404, "UnknownPipelineName"],
  ["DELETE", "pipelines/nobody",        undefined,                                             404, "UnknownPipelineName"],
  ["GET",    "pipelines/nobody",        undefined,                                             404, "UnknownPipelineName"],
  ["PUT",    "pipelines/nobody",        { name: "somebody" },                                  400, "CannotRenameNonExistingPipeline"],
  ["POST",   "pipelines/nobody/start",  undefined,                                             404, "UnknownPipelineName"],
  ["GET",    "pipelines?selector=half", undefined,                                             400, "InvalidSelector"],
  ["GET",    "pipelines/%E0%A4%A",      undefined,                                             400, "InvalidPath"],
  ["POST",   "pipelines/a/explode",     undefined,                                             404, "UnknownEndpoint"],
] as const)("%s %s with bad input is answered with its code and changes nothing", async (method, path, body, code, error) => {
  const before = (await call("GET", "pipelines")).body;
  const answer = await call(method, path, body);
  expect([answer.status, answer.body.error_code]).toEqual([code, error]);
  expect((await call("GET", "pipelines")).body).toEqual(before);
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

test("a name that is taken is told", async () => {
  const name = await at();
  expect(await call("POST", "pipelines", { name })).toMatchObject({
    status: 409,
    body: { error_code: "DuplicateName" },
  });
});

test("what may not be edited is named, and nothing is changed", async () => {
  const running = await at({ ...provisioned });
  const refused = await call("PATCH", `pipelines/${running}`, { program_code: "CREATE TABLE x (id INT);" });
  expect(refused).toMatchObject({
    status: 400,
    body: { error_code: "UpdateRestrictedToStopped", details: { not_allowed: ["`program_code`"] } },
  });
  const stored = await at({ storage_status: "InUse" });
  const bound = await call("PATCH", `pipelines/${stored}`, { runtime_config: { workers: 3 } });
  expect(bound).toMatchObject({
    status: 400,
    body: { error_code: "EditRestrictedToClearedStorage", details: { not_allowed: ["`runtime_config.workers`"] } },
  });
  expect((await call("PATCH", `pipelines/${stored}`, { program_code: "CREATE TABLE y (id INT);" })).status).toBe(200);
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

test("words about a pipeline may change in any status, and make no new version of it", async () => {
  const name = await at({ ...provisioned });
  const words = { description: "busy", tags: ["team=orders", "eu/west 1"] };
  const answer = await call("PATCH", `pipelines/${name}`, words);
  expect(answer).toMatchObject({ status: 200, body: { ...words, version: 1, refresh_version: 1 } });
});

// prettier-ignore
test.each([
  ["program_code",                          { program_code: "CREATE TABLE x (id INT);" }],
  ["udf_rust",                              { udf_rust: "fn f() {}" }],
  ["udf_toml",                              { udf_toml: "[dependencies]" }],
  ["program_config",                        { program_config: { profile: "dev" } }],
  ["runtime_config",                        { runtime_config: { cpu_profiler: false } }],
])("%s is edited only while stopped", async (field, body) => {
  for (const status of [provisioned, stopping, wanted]) {
    const name = await at({ ...status });
    const { body: before } = await call("GET", `pipelines/${name}`);
    expect(await call("PATCH", `pipelines/${name}`, body)).toMatchObject({
      status: 400,
      body: { error_code: "UpdateRestrictedToStopped", details: { not_allowed: [`\`${field}\``] } },
    });
    expect((await call("GET", `pipelines/${name}`)).body).toEqual(before);
  }
  expect((await call("PATCH", `pipelines/${await at({ storage_status: "InUse" })}`, body)).status).toBe(200);
});

// prettier-ignore
test.each([
  ["runtime_config.workers",                  { workers: 3 }],
  ["runtime_config.hosts",                    { hosts: 2 }],
  ["runtime_config.fault_tolerance",          { fault_tolerance: { model: "at_least_once" } }],
  ["runtime_config.resources.storage_mb_max", { resources: { storage_mb_max: 64 } }],
  ["runtime_config.resources.namespace",      { resources: { namespace: "elsewhere" } }],
  ["runtime_config.resources.storage_class",  { resources: { storage_class: "fast" } }],
  ["runtime_config.clock_timezone_offset",    { clock_timezone_offset: "+01:00" }],
])("%s is edited only once the storage is cleared", async (field, runtime_config) => {
  for (const storage_status of ["InUse", "Clearing"] as const) {
    const name = await at({ storage_status });
    const { body: before } = await call("GET", `pipelines/${name}`);
    expect(await call("PATCH", `pipelines/${name}`, { runtime_config })).toMatchObject({
      status: 400,
      body: { error_code: "EditRestrictedToClearedStorage", details: { not_allowed: [`\`${field}\``] } },
    });
    expect((await call("GET", `pipelines/${name}`)).body).toEqual(before);
  }
  expect((await call("PATCH", `pipelines/${await at()}`, { runtime_config })).status).toBe(200);
});

test("the same again changes nothing", async () => {
  const name = await at({ ...provisioned });
  const { body: before } = await call("GET", `pipelines/${name}`);
  const { program_code, runtime_config } = before;
  expect((await call("PATCH", `pipelines/${name}`, { program_code, runtime_config })).body).toEqual(before);
});

test("a pipeline is renamed while it is stopped and its storage cleared, and else keeps its name", async () => {
  const refused = async (status: Partial<PipelineStatus>) => {
    const name = await at(status);
    const { body } = await call("PATCH", `pipelines/${name}`, { name: `${name}-new` });
    expect((await call("GET", `pipelines/${name}-new`)).status).toBe(404);
    return body;
  };
  const not_allowed = ["`name`"];
  expect(await refused(provisioned)).toMatchObject({
    error_code: "UpdateRestrictedToStopped",
    details: { not_allowed },
  });
  expect(await refused({ storage_status: "InUse" })).toMatchObject({
    error_code: "EditRestrictedToClearedStorage",
    details: { not_allowed },
  });
  const [name, taken] = [await at(), await at()];
  expect((await call("PATCH", `pipelines/${name}`, { name: taken })).body.error_code).toBe("DuplicateName");
  const renamed = await call("PATCH", `pipelines/${name}`, { name: `${name}-new` });
  expect(renamed).toMatchObject({
    status: 200,
    body: { name: `${name}-new`, program_code: "CREATE TABLE t (id INT);", deployment_desired_status: "Stopped" },
  });
  expect((await call("GET", `pipelines/${name}`)).status).toBe(404);
});

// prettier-ignore
test.each([
  // what its program was  and is       under another name
  ["Success",              "Success"],
  ["RustError",            "RustError"],
  ["SqlCompiled",          "SqlCompiled"],
  // Its compiler goes with the old name: the stage begins again.
  ["CompilingRust",        "SqlCompiled"],
  ["CompilingSql",         "Pending"],
] as const)("a rename compiles nothing again: a program that was %s is %s", async (before, after) => {
  const compiled = { program_info: { schema: { inputs: [], outputs: [] } }, platform_version: "1" };
  const name = await at({ ...compiled, program_status: before, version: 5, program_version: 3 });
  const { body: old } = await call("GET", `pipelines/${name}`);
  await call("PATCH", `pipelines/${name}`, { name: `${name}-new` });
  const { body } = await call("GET", `pipelines/${name}-new`);
  expect(body).toMatchObject({ id: old.id, version: 6, program_version: 3, program_status: after });
  expect(body.program_info).toEqual(after === "Pending" ? null : old.program_info);
  expect(body.refresh_version).toBeGreaterThan(Number(old.refresh_version));
});

test("a rename with another program compiles that one, as one more version", async () => {
  const name = await at({ version: 5, program_version: 3 });
  await call("PATCH", `pipelines/${name}`, { name: `${name}-new`, program_code: "CREATE TABLE u (id INT);" });
  const { body } = await call("GET", `pipelines/${name}-new`);
  expect(body).toMatchObject({ version: 6, program_version: 4, program_status: "Pending", program_info: null });
});

test("a refusal carries the details that a program can act on", async () => {
  expect((await call("POST", `pipelines/${await at({ ...stopping })}/start`)).body.details).toMatchObject({
    status: "Stopping",
    current_desired_status: "Stopped",
    new_desired_status: "Provisioned",
    hint: expect.any(String),
  });
  expect((await call("POST", `pipelines/${await at({ ...provisioned })}/clear`)).body.details).toMatchObject({
    resources_status: "Provisioned",
    resources_desired_status: "Provisioned",
    current_status: "InUse",
    new_status: "Clearing",
  });
});

// prettier-ignore
test.each([
  [{ ...stopping },                 "start",                     /current Stopping, desired Stopped\) .*Provisioned.*Wait until it is stopped/],
  [{ ...failed },                   "start?dismiss_error=false", /not dismissed; dismiss it, or start with dismiss_error/],
  [{ storage_status: "Clearing" },  "start",                     /being cleared; wait until it is Cleared/],
  [{ program_status: "RustError" }, "start",                     /failed to compile; an edit compiles it again/],
  [{ ...provisioned },              "start?initial=paused",      /initial status cannot be changed unless it is stopped/],
  [{},                              "pause",                     /^Pause is not possible: the pipeline is Stopped, and has no process to ask\.$/],
  [{ ...stopping },                 "activate",                  /^Activate is not possible: the pipeline is Stopping, and has no process to ask\.$/],
  [{},                              "start?initial=standby",     /storage\.backend\.name to be "file" and storage\.backend\.config\.sync/],
] as const)("with %o, %s is refused in a sentence that says what to do", async (status, request, sentence) => {
  const { body } = await call("POST", `pipelines/${await at(status)}/${request}`);
  expect(body.message).toMatch(sentence);
});

// prettier-ignore
test.each([
  ["GET",    ""],
  ["PATCH",  ""],
  ["DELETE", ""],
  ["POST",   "/start"],
  ["POST",   "/stop"],
  ["POST",   "/clear"],
  ["POST",   "/pause"],
  ["POST",   "/dismiss_error"],
])("%s nobody%s is told to be unknown in the same words", async (method, action) => {
  expect(await call(method, `pipelines/nobody${action}`, method === "PATCH" ? {} : undefined)).toEqual({
    status: 404,
    body: {
      message: 'There is no pipeline "nobody".',
      error_code: "UnknownPipelineName",
      details: { pipeline_name: "nobody" },
    },
  });
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

test("a pipeline is deleted only when it is stopped and its storage cleared", async () => {
  const refused = async (status: Partial<PipelineStatus>) => {
    const name = await at(status);
    const { body } = await call("DELETE", `pipelines/${name}`);
    expect((await call("GET", `pipelines/${name}`)).status).toBe(200);
    return body.error_code;
  };
  for (const status of [provisioned, stopping, wanted])
    expect(await refused(status)).toBe("DeleteRestrictedToFullyStopped");
  for (const storage_status of ["InUse", "Clearing"] as const)
    expect(await refused({ storage_status })).toBe("DeleteRestrictedToClearedStorage");
});

test("nobody comes in without a token", async () => {
  const response = await handleRest(stage.services, new Request("http://orrery.test/v0/pipelines"), {
    namespace: "default",
  });
  expect(response.status).toBe(401);
});

test("no fault of our own was met on the way", () => {
  expect(stage.faults).toEqual([]);
});
