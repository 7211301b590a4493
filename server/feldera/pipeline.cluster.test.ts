import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { crdOf } from "@/machines/crd";
import { feldera } from "@/machines/feldera/family";
import { pipelineSchema, type Pipeline } from "@/machines/feldera/pipeline.schema";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { connectionFrom } from "@/server/kubernetes/connection";
import { isAlreadyExists, isConflict } from "@/server/kubernetes/errors";
import { apiVersionOf } from "@/server/kubernetes/object";
import { applyCommand } from "@/server/reconcile/apply";
import { createLiveWorld } from "@/server/reconcile/live-world";
import { createReplayCheck } from "@/server/testing/replay-check";
import { createWorker, type Worker } from "@/server/worker";
import { goodSql, testOptions } from "./fixtures/pipelines";
import { createFelderaReconcilers } from "./reconcilers";
import { standInScripts } from "./stand-ins";

const namespace = `orrery-feldera-${process.pid}`;
const kubeconfig = process.env.KUBECONFIG ?? "";
const { api } = feldera.kinds.pipeline;
/** Ends what hangs: a kubelet with much to do can take minutes to let go of a pod. */
const LIMIT_MS = 240_000;
const LOOK_MS = 250;
const options = { ...testOptions, provisioningTimeoutMs: LIMIT_MS, scripts: standInScripts({ withParser: true }) };
const reconcilers = createFelderaReconcilers(options);
let client: KubernetesClient;
let worker: Worker;
const failures: string[] = [];
const history = createReplayCheck(reconcilers);

beforeAll(async () => {
  if (!kubeconfig) throw new Error("Name a disposable cluster with KUBECONFIG.");
  client = createClient({ connection: await connectionFrom({ kubeconfig }), clock: systemClock });
  await client.create(apis.customResourceDefinition, crdOf(feldera.kinds.pipeline)).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  await until("pipelines are served", () =>
    client.list(api, { limit: 1 }).then(
      () => true,
      () => false,
    ),
  );
  await client.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  worker = createWorker({
    client: createClient({ connection: await connectionFrom({ kubeconfig }), clock: systemClock }),
    clock: systemClock,
    reconcilers,
    identity: `test-${process.pid}`,
    leaseNamespace: namespace,
    namespace,
    onPass: (outcome) => {
      if (outcome.error) failures.push(`${outcome.key.name}: ${outcome.error}`);
      history.onPass(outcome);
    },
  });
  worker.start();
});

afterAll(async () => {
  await worker.stop();
  await client.delete(apis.namespace, { name: namespace });
  await client.close();
  history.mustReplay();
});

async function until<T>(what: string, look: () => Promise<T | false | null>): Promise<T> {
  for (const end = performance.now() + LIMIT_MS; ;) {
    const found = await look();
    if (found !== false && found !== null) return found;
    if (performance.now() > end) throw new Error(`waited ${LIMIT_MS / 1000} s in vain until ${what}`);
    await systemClock.sleep(LOOK_MS);
  }
}

async function statusOf(name: string): Promise<Pipeline["status"]> {
  return pipelineSchema.parse(await client.get(api, { namespace, name })).status;
}

function reaches(name: string, what: string, is: (status: Pipeline["status"]) => boolean) {
  return until(`${name} is ${what}`, async () => {
    const status = await statusOf(name);
    return is(status) && status;
  }).catch(async (error: unknown) => {
    throw new Error([String(error), JSON.stringify(await statusOf(name)), ...failures.slice(-5)].join("\n"));
  });
}

const becomes = (name: string, combined: string) =>
  reaches(name, combined, ({ deployment_status }) => deployment_status === combined);

const failed = (name: string) =>
  reaches(
    name,
    "stopped with an error",
    (status) => status.deployment_status === "Stopped" && Boolean(status.deployment_error),
  );

function create(name: string, spec: Record<string, unknown> = {}) {
  const started = { deployment: { desired: "Provisioned" } };
  return client.create(api, {
    apiVersion: apiVersionOf(api),
    kind: api.kind,
    metadata: { name, namespace },
    spec: { program_code: goodSql, ...started, ...spec },
  });
}

async function ask(name: string, type: string, args: Record<string, unknown> = {}): Promise<void> {
  const object = await client.get(api, { namespace, name });
  const reconciler = reconcilers["feldera.pipeline"];
  const seen = await reconciler.read(pipelineSchema.parse(object), createLiveWorld({ client, clock: systemClock }));
  const plan = reconciler.compute(seen, { type, ...args }, systemClock.now());
  try {
    await applyCommand({ client, kind: feldera.kinds.pipeline, object, plan });
  } catch (error) {
    if (!isConflict(error)) throw error;
    await ask(name, type, args);
  }
}

async function tell(name: string, path: string, method = "POST", body?: string): Promise<unknown> {
  const { deployment_location } = await statusOf(name);
  const answer = await fetch(`http://${deployment_location ?? ""}${path}`, {
    method,
    ...(body !== undefined && { body }),
  });
  return answer.json();
}

async function kubectl(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("kubectl", ["--kubeconfig", kubeconfig, "-n", namespace, ...args]);
  return stdout;
}

// One after the other would take the sum of what the kubelet takes; each test has pipelines of its own.
test.concurrent(
  "what was written before a stop is there after a start, and gone after a clear; a graceful stop waits for the checkpoint",
  async () => {
    await create("keeps");
    await becomes("keeps", "Running");
    await tell("keeps", "/data", "POST", "first");
    await ask("keeps", "stop", { force: false });
    const stopped = await becomes("keeps", "Stopped");
    expect(stopped.storage_status_details).toMatchObject({ checkpoints: [{ processed_records: 1 }] });
    await ask("keeps", "start");
    await becomes("keeps", "Running");
    expect(await tell("keeps", "/data", "GET")).toEqual({ data: ["first"] });
    await ask("keeps", "stop", { force: true });
    await becomes("keeps", "Stopped");
    await ask("keeps", "clear");
    await reaches("keeps", "cleared", ({ storage_status }) => storage_status === "Cleared");
    await ask("keeps", "start");
    await becomes("keeps", "Running");
    expect(await tell("keeps", "/data", "GET")).toEqual({ data: [] });
  },
);

test.concurrent("a panic stops the pipeline with the process's own error", async () => {
  await create("panics");
  await becomes("panics", "Running");
  await tell("panics", "/panic");
  expect((await failed("panics")).deployment_error?.error_code).toBe("RuntimeError.WorkerPanic");
});

test.concurrent("a process that ends shows its exit code and stops the pipeline", async () => {
  await create("ends");
  await becomes("ends", "Running");
  await tell("ends", "/exit?code=3");
  expect((await failed("ends")).deployment_error?.message).toContain("exit code 3");
});

test.concurrent("a process that somebody kills shows it and stops the pipeline", async () => {
  await create("killed");
  await becomes("killed", "Running");
  await kubectl("exec", "pl-killed-0", "--", "node", "-e", "process.kill(1)");
  const { deployment_error } = await failed("killed");
  expect(deployment_error?.error_code).toBe("RunnerCheckError");
  expect(deployment_error?.message).toMatch(/process ended with exit code \d+/);
});

test.concurrent("a pod that is replaced stops nothing, and its process catches up with what was stored", async () => {
  await create("moves", { runtime_config: { env: { PIPELINE_REPLAY_MS: "20000" } } });
  const { deployment_id } = await becomes("moves", "Running");
  await tell("moves", "/data", "POST", "first");
  await kubectl("delete", "pod", "pl-moves-0");
  await becomes("moves", "Replaying");
  expect((await becomes("moves", "Running")).deployment_id).toBe(deployment_id);
  expect(await tell("moves", "/data", "GET")).toEqual({ data: ["first"] });
});

test.concurrent("a StatefulSet deleted by hand stops the pipeline with a resources error", async () => {
  await create("loses");
  await becomes("loses", "Running");
  await client.delete(apis.statefulSet, { namespace, name: "pl-loses" });
  expect((await failed("loses")).deployment_error?.error_code).toBe("RunnerCheckError");
});

test.concurrent("a claim that cannot be bound stops the pipeline and says why", async () => {
  await create("homeless", { runtime_config: { resources: { storage_class: "nowhere" } } });
  expect((await failed("homeless")).deployment_error?.message).toContain('"nowhere" not found');
});

test.concurrent("what a compiler has to tell of a wide program is kept whole", async () => {
  const columns = Array.from({ length: 400 }, (_, index) => `column_${index} INT`).join(", ");
  await create("wide", { program_code: `CREATE TABLE t (${columns});`, deployment: {} });
  const { program_info } = await reaches("wide", "compiled", ({ program_status }) => program_status === "Success");
  expect(program_info).toMatchObject({ schema: { inputs: [{ name: "t", fields: { length: 400 } }] } });
});

test.concurrent(
  "the sample in deploy/ runs, is stopped as it says, and leaves nothing behind when it is deleted",
  async () => {
    await kubectl("apply", "-f", "deploy/samples/feldera-pipeline.yaml");
    await becomes("orders", "Running");
    expect(await kubectl("get", "pipeline", "orders")).toMatch(/orders\s+Running\s+Running\s+Success\s+InUse/);
    await kubectl("patch", "pipeline", "orders", "--type=merge", '-p={"spec":{"deployment":{"desired":"Stopped"}}}');
    expect((await becomes("orders", "Stopped")).deployment_error).toBeUndefined();
    await kubectl("delete", "pipeline", "orders");
    await until("nothing of it is left", async () => {
      const kinds = "statefulset,service,configmap,persistentvolumeclaim,job,pod";
      return (await kubectl("get", kinds, "-l", "feldera.com/pipeline=orders", "-o", "name")) === "";
    });
  },
);

test.concurrent("a SQL error is told with its place, and a start fails with it", async () => {
  await create("typo", { program_code: "CREATE TABLE t (id INT);\nCREATE VIEW v AS SELEC 1;" });
  const status = await failed("typo");
  expect(status.deployment_error?.error_code).toBe("StartFailedDueToFailedCompilation");
  expect(status.program_error?.sql_compilation?.messages[0]).toMatchObject({ start_line_number: 2, start_column: 18 });
});
