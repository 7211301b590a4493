import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type PipelineStatus } from "@/machines/feldera/pipeline.schema";
import { createRest, provisioned, type Rest, stopping, wanted } from "./fixtures/rest";

let rest: Rest;
beforeAll(async () => void (rest = await createRest()));
beforeEach(() => rest.later());
afterAll(() => rest.stop());

const call: Rest["call"] = (...asked) => rest.call(...asked);
const at: Rest["at"] = (status) => rest.at(status);

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
