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
  const storage = { backend: { name: "file", config: { sync: { bucket: "checkpoints" } } } };
  await pipelines.create("life", { runtime_config: { storage } });
  await pipelines.compiled("life");
  await pipelines.edit("life", { program_code: "CREATE TABLE u (id INT);" });
  await pipelines.untilStatus("life", "compiled again", (status) => {
    return status.program_version === 2 && status.program_status === "Success";
  });
  await pipelines.ask("life", "start", { initial: "standby" });
  await pipelines.until("life", "Standby");
  await pipelines.ask("life", "activate");
  await pipelines.until("life", "Running");
  await pipelines.call("life", "/data", "POST", "first");
  await pipelines.call("life", "/mute");
  await pipelines.until("life", "Unavailable");
  await pipelines.call("life", "/mute?off");
  await pipelines.until("life", "Running");
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
  expect(killedAt).toEqual(expect.arrayContaining(ofALife));
});

test("a worker that is killed while a process catches up loses none of its data", async () => {
  await pipelines.create("late", { deployment: { desired: "Provisioned" }, runtime_config: slowly });
  await pipelines.until("late", "Running");
  await pipelines.call("late", "/data", "POST", "first");
  await pipelines.ask("late", "stop", { force: true });
  await pipelines.until("late", "Stopped");
  await pipelines.edit("late", { program_code: "CREATE TABLE u (id INT);" });
  await pipelines.ask("late", "start");
  await pipelines.until("late", "Bootstrapping");
  await pipelines.until("late", "Replaying");
  await pipelines.until("late", "Running");
  await lives;
  expect(killedAt).toEqual(expect.arrayContaining(["runtime Bootstrapping", "runtime Replaying"]));
  expect(await pipelines.call("late", "/data", "GET")).toEqual({ data: ["first"] });
});

// prettier-ignore
test.each([
  ["sql",    "SqlError",    { program_code: "CREATE VIEW v AS SELEC 1;" }],
  ["rust",   "RustError",   { udf_rust: "fn f() {" }],
  ["system", "SystemError", { program_code: "-- compiler_crash\nCREATE TABLE t (id INT);" }],
])("a worker that is killed on the way into an error of the program keeps its text (%s)", async (name, error, spec) => {
  await pipelines.create(name, spec);
  const { program_error } = await pipelines.untilStatus(name, error, ({ program_status }) => program_status === error);
  await lives;
  expect(killedAt).toContain(`program ${error}`);
  expect(program_error).not.toEqual({});
  expect((await pipelines.pipeline(name)).status.program_error).toEqual(program_error);
});

/** Long enough to be seen by each look, also by that of a worker that comes back. */
const slowly = { env: { PIPELINE_BOOTSTRAP_MS: "60000", PIPELINE_REPLAY_MS: "60000" } };

/** Suspended is left in the pass that sees it. */
const ofALife = [
  ...["Pending", "CompilingSql", "SqlCompiled", "CompilingRust", "Success"].map((status) => `program ${status}`),
  ...["Provisioning", "Provisioned", "Stopping", "Stopped"].map((status) => `resources ${status}`),
  ...["Initializing", "Standby", "Running", "Unavailable", "Paused"].map((status) => `runtime ${status}`),
  ...["InUse", "Clearing", "Cleared"].map((status) => `storage ${status}`),
];
