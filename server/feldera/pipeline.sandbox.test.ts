import { afterAll, beforeAll, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { createPipelines, goodSql, type Pipelines } from "./fixtures/pipelines";

let pipelines: Pipelines;
beforeAll(async () => void (pipelines = await createPipelines()));
afterAll(() => pipelines.stop());

test("a program is compiled as soon as it is there, and the pipeline waits, stopped", async () => {
  await pipelines.create("compiles");
  const status = await pipelines.compiled("compiles");
  expect(status).toMatchObject({
    deployment_status: "Stopped",
    storage_status: "Cleared",
    program_version: 1,
    version: 1,
  });
  expect(status.program_info).toMatchObject({ schema: { inputs: [{ name: "t" }], outputs: [{ name: "v" }] } });
});

test("a start before it is compiled waits for the compiler, then provisions and runs", async () => {
  await pipelines.create("early");
  await pipelines.ask("early", "start");
  const status = await pipelines.until("early", "Running");
  expect(status).toMatchObject({
    deployment_resources_status: "Provisioned",
    deployment_desired_status: "Running",
    storage_status: "InUse",
    program_status: "Success",
  });
});

test("what was written before a stop is there after a start, and gone after a clear", async () => {
  await pipelines.create("keeps");
  await pipelines.compiled("keeps");
  await pipelines.ask("keeps", "start");
  await pipelines.until("keeps", "Running");
  await pipelines.call("keeps", "/data", "POST", "first");
  await pipelines.ask("keeps", "stop", { force: true });
  const stopped = await pipelines.until("keeps", "Stopped");
  expect(stopped).toMatchObject({ storage_status: "InUse", deployment_desired_status: "Stopped" });
  expect(stopped.deployment_error).toBeUndefined();
  await pipelines.ask("keeps", "start");
  await pipelines.until("keeps", "Running");
  expect(await pipelines.call("keeps", "/data", "GET")).toEqual({ data: ["first"] });
  await pipelines.ask("keeps", "stop", { force: true });
  await pipelines.until("keeps", "Stopped");
  await pipelines.ask("keeps", "clear");
  await pipelines.untilStatus("keeps", "cleared", ({ storage_status }) => storage_status === "Cleared");
  expect(await pipelines.object(apis.persistentVolumeClaim, "pl-keeps-storage")).toBeNull();
  await pipelines.ask("keeps", "start");
  await pipelines.until("keeps", "Running");
  expect(await pipelines.call("keeps", "/data", "GET")).toEqual({ data: [] });
});

test("pause and resume reach the process, and a graceful stop waits for its checkpoint", async () => {
  await pipelines.create("turns", { deployment: { desired: "Provisioned" } });
  await pipelines.until("turns", "Running");
  await pipelines.ask("turns", "pause");
  await pipelines.until("turns", "Paused");
  await pipelines.ask("turns", "resume");
  await pipelines.until("turns", "Running");
  await pipelines.ask("turns", "stop", { force: false });
  const stopped = await pipelines.until("turns", "Stopped");
  expect(stopped.storage_status_details).toMatchObject({ checkpoints: [{ uuid: "checkpoint-1" }] });
  expect(stopped.deployment_error).toBeUndefined();
});

test("a panic stops the pipeline with the process's own error, which a new start forgets", async () => {
  await pipelines.create("panics", { deployment: { desired: "Provisioned" } });
  await pipelines.until("panics", "Running");
  await pipelines.call("panics", "/panic");
  const stopped = await pipelines.until("panics", "Stopped");
  expect(stopped.deployment_error).toMatchObject({ error_code: "RuntimeError.WorkerPanic" });
  await pipelines.ask("panics", "start");
  expect((await pipelines.until("panics", "Running")).deployment_error).toBeUndefined();
});

test("an error is dismissed at once or never: the next one is kept", async () => {
  await pipelines.create("again-panics", { deployment: { desired: "Provisioned" } });
  const panics = async () => {
    await pipelines.until("again-panics", "Running");
    await pipelines.call("again-panics", "/panic");
    return pipelines.until("again-panics", "Stopped");
  };
  await panics();
  // Both before any pass: the pass that begins the next run is the first to see that the error was dismissed.
  await pipelines.stopWorker();
  await pipelines.ask("again-panics", "dismissError");
  await pipelines.ask("again-panics", "start");
  await pipelines.restartWorker();
  expect((await panics()).deployment_error).toMatchObject({ error_code: "RuntimeError.WorkerPanic" });
});

test("a process that ends stops the pipeline with the exit code", async () => {
  await pipelines.create("ends", { deployment: { desired: "Provisioned" } });
  await pipelines.until("ends", "Running");
  await pipelines.call("ends", "/exit?code=3");
  const stopped = await pipelines.until("ends", "Stopped");
  expect(stopped.deployment_error?.message).toContain("exit code 3");
});

test("a StatefulSet that somebody deletes stops the pipeline with a resources error", async () => {
  await pipelines.create("loses", { deployment: { desired: "Provisioned" } });
  await pipelines.until("loses", "Running");
  await pipelines.client.delete(apis.statefulSet, { namespace: "streams", name: "pl-loses" });
  const stopped = await pipelines.until("loses", "Stopped");
  expect(stopped.deployment_error).toMatchObject({
    error_code: "RunnerCheckError",
    message: "the StatefulSet was deleted",
  });
});

test("a pod that nobody collects does not hold up a stop", async () => {
  await pipelines.create("orphans", { deployment: { desired: "Provisioned" } });
  await pipelines.until("orphans", "Running");
  const statefulSet = { namespace: "streams", name: "pl-orphans" };
  await pipelines.client.delete(apis.statefulSet, statefulSet, { propagation: "Orphan" });
  await pipelines.until("orphans", "Stopped");
  expect(await pipelines.object(apis.pod, "pl-orphans-0")).toBeNull();
});

test("a program that no compiler can be given is told as such", async () => {
  await pipelines.create("huge", { program_code: `-- ${"x".repeat(700_000)}` });
  const status = await pipelines.untilStatus(
    "huge",
    "given up",
    ({ program_status }) => program_status === "SystemError",
  );
  expect(status.program_error?.system_error).toContain("600000 are the most");
});

test("what a compiler has to tell of a wide program is kept whole", async () => {
  const columns = Array.from({ length: 400 }, (_, index) => `column_${index} INT`).join(", ");
  await pipelines.create("wide", { program_code: `CREATE TABLE t (${columns});` });
  const { program_info } = await pipelines.compiled("wide");
  expect(JSON.stringify(program_info).length).toBeGreaterThan(20_000);
  expect(program_info).toMatchObject({ schema: { inputs: [{ name: "t", fields: { length: 400 } }] } });
});

test("every message about a program is kept, however many there are", async () => {
  await pipelines.create("wrong", { program_code: "CREATE VIEW v AS SELEC 1;\n".repeat(60) });
  const { program_error } = await pipelines.untilStatus(
    "wrong",
    "rejected",
    ({ program_status }) => program_status === "SqlError",
  );
  expect(program_error?.sql_compilation?.messages).toHaveLength(60);
});

test("an edit and a start in one write run the new program, not the old one", async () => {
  await pipelines.create("both");
  await pipelines.compiled("both");
  await pipelines.edit("both", {
    program_code: "CREATE TABLE other (id INT);",
    deployment: { desired: "Provisioned" },
  });
  const status = await pipelines.until("both", "Running");
  expect(status).toMatchObject({ program_version: 2, program_info: { schema: { inputs: [{ name: "other" }] } } });
});

test("a process that turned by itself is turned back by the same request", async () => {
  await pipelines.create("strays", { deployment: { desired: "Provisioned" } });
  await pipelines.until("strays", "Running");
  await pipelines.ask("strays", "pause");
  await pipelines.until("strays", "Paused");
  await pipelines.call("strays", "/start", "GET");
  await pipelines.until("strays", "Running");
  await pipelines.ask("strays", "pause");
  await pipelines.until("strays", "Paused");
});

test("a pod that is replaced is no error: the pipeline goes on by itself", async () => {
  await pipelines.create("moves", { deployment: { desired: "Provisioned" } });
  const before = await pipelines.until("moves", "Running");
  await pipelines.client.delete(apis.pod, { namespace: "streams", name: "pl-moves-0" });
  await pipelines.untilStatus(
    "moves",
    "elsewhere",
    (status) => status.deployment_status === "Running" && status.deployment_location !== before.deployment_location,
  );
});

test("provisioning that takes too long stops the pipeline and says what it waited for", async () => {
  await pipelines.create("slow", {
    deployment: { desired: "Provisioned" },
    runtime_config: { provisioning_timeout_secs: 20, resources: { cpu_cores_min: 9_000 } },
  });
  const stopped = await pipelines.untilStatus(
    "slow",
    "stopped with an error",
    (status) => status.deployment_status === "Stopped" && Boolean(status.deployment_error),
  );
  expect(stopped.deployment_error?.error_code).toBe("AutomatonProvisioningTimeout");
  expect(stopped.deployment_error?.message).toContain("Insufficient cpu");
});

test("a claim that cannot be bound stops the pipeline and says why", async () => {
  await pipelines.create("homeless", {
    deployment: { desired: "Provisioned" },
    runtime_config: { resources: { storage_class: "nowhere" } },
  });
  const stopped = await pipelines.untilStatus(
    "homeless",
    "stopped with an error",
    (status) => status.deployment_status === "Stopped" && Boolean(status.deployment_error),
  );
  expect(stopped.deployment_error?.message).toContain('storageclass.storage.k8s.io "nowhere" not found');
  expect(stopped.deployment_error?.error_code).toBe("RunnerProvisionError");
});

test("a SQL error is told with its place, an early start fails with it, and an edit compiles anew", async () => {
  await pipelines.create("typo", { program_code: "CREATE TABLE t (id INT);\nCREATE VIEW v AS SELEC 1;" });
  await pipelines.ask("typo", "start");
  const failed = await pipelines.untilStatus("typo", "failed", ({ deployment_error }) => Boolean(deployment_error));
  expect(failed.deployment_error?.error_code).toBe("StartFailedDueToFailedCompilation");
  expect(failed.program_error?.sql_compilation?.messages[0]).toMatchObject({ start_line_number: 2, start_column: 18 });
  await pipelines.until("typo", "Stopped");
  expect(await pipelines.ask("typo", "start")).toBe(false);
  await pipelines.edit("typo", { program_code: "CREATE TABLE t (id INT);" });
  const mended = await pipelines.compiled("typo");
  expect(mended).toMatchObject({ program_version: 2, version: 2 });
  expect(mended.program_error?.sql_compilation?.messages ?? []).toEqual([]);
});

test("an edit while compiling makes the old result void", async () => {
  await pipelines.create("hasty", { program_code: "-- compile_ms=60000\nCREATE TABLE a (id INT);" });
  await pipelines.untilStatus("hasty", "compiling", ({ program_status }) => program_status === "CompilingSql");
  await pipelines.edit("hasty", { program_code: "CREATE TABLE b (id INT);" });
  const status = await pipelines.compiled("hasty");
  expect(status.program_info).toMatchObject({ schema: { inputs: [{ name: "b" }] } });
  expect(status.program_version).toBe(2);
});

test("an edit while it runs reaches the next deployment, and the one under way goes on untouched", async () => {
  const config = (word: string) => ({ env: { WORD: word }, resources: { storage_mb_max: word === "first" ? 64 : 32 } });
  await pipelines.create("edited", { deployment: { desired: "Provisioned" }, runtime_config: config("first") });
  const before = await pipelines.until("edited", "Running");
  const pod = () => pipelines.object(apis.pod, "pl-edited-0");
  const firstPod = (await pod())?.metadata.uid;
  const claim = await pipelines.object(apis.persistentVolumeClaim, "pl-edited-storage");
  await pipelines.edit("edited", { runtime_config: config("second"), deployment: { initial: "Paused" } });
  await pipelines.ask("edited", "pause");
  const paused = await pipelines.until("edited", "Paused");
  expect((await pod())?.metadata.uid).toBe(firstPod);
  expect(paused).toMatchObject({ version: 1, deployment_initial: "Running", deployment_id: before.deployment_id });
  await pipelines.ask("edited", "stop", { force: true });
  const stopped = await pipelines.until("edited", "Stopped");
  expect(stopped.version).toBe(2);
  await pipelines.ask("edited", "start");
  await pipelines.until("edited", "Running");
  expect(JSON.stringify((await pod())?.spec)).toContain('{"name":"WORD","value":"second"}');
  expect((await pipelines.object(apis.persistentVolumeClaim, "pl-edited-storage"))?.spec).toEqual(claim?.spec);
});

test("a program that is not edited is compiled once, whatever else is edited, started and stopped", async () => {
  await pipelines.create("once");
  const first = await pipelines.compiled("once");
  await pipelines.edit("once", { program_code: goodSql, runtime_config: { cpu_profiler: false }, description: "new" });
  const edited = await pipelines.untilStatus("once", "edited", ({ version }) => version === 2);
  await pipelines.ask("once", "start");
  await pipelines.until("once", "Running");
  await pipelines.restartWorker();
  await pipelines.ask("once", "stop", { force: true });
  const stopped = await pipelines.until("once", "Stopped");
  for (const status of [edited, stopped]) {
    expect(status).toMatchObject({ program_version: 1, program_status: "Success" });
    expect(status.program_status_since).toBe(first.program_status_since);
  }
  const stages = pipelines.passes
    .filter(({ key }) => key.name === "once")
    .flatMap(({ plan }) => plan?.steps.program ?? [])
    .flatMap(({ from, to }) => (from === to ? [] : [to]));
  expect(stages).toEqual(["CompilingSql", "SqlCompiled", "CompilingRust", "Success"]);
});

test("a time moves only with its value, and the version that clients look at with every change that they would see", async () => {
  await pipelines.create("dated", { deployment: { desired: "Provisioned" } });
  const running = await pipelines.until("dated", "Running");
  await pipelines.clock.advance(10_000);
  expect((await pipelines.pipeline("dated")).status).toEqual(running);
  await pipelines.ask("dated", "pause");
  const paused = await pipelines.until("dated", "Paused");
  const moved = Object.keys(running).filter(
    (field) => field.endsWith("_since") && Reflect.get(running, field) !== Reflect.get(paused, field),
  );
  expect(moved.sort()).toEqual([
    "deployment_desired_status_since",
    "deployment_runtime_desired_status_since",
    "deployment_runtime_status_since",
    "deployment_status_since",
  ]);
  expect(paused.refresh_version).toBeGreaterThan(running.refresh_version);
  await pipelines.ask("dated", "stop", { force: true });
  const stopped = await pipelines.until("dated", "Stopped");
  expect(stopped.refresh_version).toBeGreaterThan(paused.refresh_version);
  expect(stopped).not.toHaveProperty("deployment_runtime_status_since");
  expect(stopped.program_status_since).toBe(running.program_status_since);
});

test("the list of checkpoints is empty while it runs, kept over a stop, and forgotten with the storage", async () => {
  await pipelines.create("lists");
  expect((await pipelines.compiled("lists")).storage_status_details).toBeUndefined();
  await pipelines.ask("lists", "start");
  expect((await pipelines.until("lists", "Running")).storage_status_details).toEqual({ checkpoints: [] });
  await pipelines.ask("lists", "stop", { force: true });
  expect((await pipelines.until("lists", "Stopped")).storage_status_details).toEqual({ checkpoints: [] });
  await pipelines.ask("lists", "clear");
  const cleared = await pipelines.untilStatus("lists", "cleared", ({ storage_status }) => storage_status === "Cleared");
  expect(cleared.storage_status_details).toBeUndefined();
});

test("a pipeline can be deleted while it compiles, and another of its name is compiled for itself", async () => {
  await pipelines.create("again", { program_code: "-- compile_ms=60000\nCREATE TABLE a (id INT);" });
  await pipelines.untilStatus("again", "compiling", ({ compiler_job }) => Boolean(compiler_job));
  await pipelines.remove("again");
  await pipelines.eventually("it is gone", async () => !(await pipelines.exists("again")));
  await pipelines.create("again", { program_code: "CREATE TABLE b (id INT);" });
  expect((await pipelines.compiled("again")).program_info).toMatchObject({ schema: { inputs: [{ name: "b" }] } });
});

test("no pass has failed on the way", () => {
  expect(pipelines.passes.filter(({ error }) => error).map(({ key, error }) => `${key.name}: ${error ?? ""}`)).toEqual(
    [],
  );
});
