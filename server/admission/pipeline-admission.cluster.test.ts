import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { crdOf } from "@/machines/crd";
import { feldera } from "@/machines/feldera/family";
import { type PipelineStatus } from "@/machines/feldera/pipeline.schema";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { connectionFrom } from "@/server/kubernetes/connection";
import { isAlreadyExists, isNotFound } from "@/server/kubernetes/errors";
import { apiVersionOf } from "@/server/kubernetes/object";
import { silentLog } from "@/server/observability/log";
import { type Admission, startAdmission } from "./admission";

const namespace = `orrery-admission-${process.pid}`;
const { api } = feldera.kinds.pipeline;
const kubeconfig = process.env.KUBECONFIG ?? "";
/** Ends what hangs: an API server takes a moment to learn of a definition or a webhook. */
const LIMIT_MS = 60_000;
let client: KubernetesClient;
let admission: Admission;

beforeAll(async () => {
  if (!kubeconfig) throw new Error("Name a disposable cluster with KUBECONFIG.");
  client = createClient({ connection: await connectionFrom({ kubeconfig }), clock: systemClock });
  await client.create(apis.customResourceDefinition, crdOf(feldera.kinds.pipeline)).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  await client.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  admission = await startAdmission({
    client,
    clock: systemClock,
    log: silentLog,
    bounds: {},
    namespace,
    host: "127.0.0.1",
    port: 0,
    url: "https://127.0.0.1:{port}",
  });
  // Asked for until it is refused: then the API server knows both.
  await until("it is asked", () =>
    client.create(api, pipeline("n".repeat(46)), { dryRun: true }).then(
      () => false,
      (error: unknown) => String(error).includes("metadata.name"),
    ),
  );
});
afterAll(async () => {
  await admission.stop();
  await client.delete(apis.namespace, { name: namespace }).catch(() => undefined);
  await client.close();
});

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + LIMIT_MS; !(await holds());) {
    if (performance.now() > end) throw new Error(`waited ${LIMIT_MS / 1000} s in vain until ${what}`);
    await systemClock.sleep(250);
  }
}

const pipeline = (name: string) => ({
  apiVersion: apiVersionOf(api),
  kind: api.kind,
  metadata: { namespace, name },
  spec: { program_code: "CREATE TABLE t (id INT);" },
});

/** No worker: a pipeline is where a test puts it. */
async function at(name: string, status: Partial<PipelineStatus>): Promise<string> {
  await client.create(api, pipeline(name));
  await client.patch(api, { namespace, name }, { status }, { type: "merge", subresource: "status" });
  return name;
}

const running = {
  deployment_resources_status: "Provisioned",
  deployment_resources_desired_status: "Provisioned",
  deployment_runtime_status: "Running",
  deployment_status: "Running",
  storage_status: "InUse",
} as const;

/** What kubectl says to whoever edits by hand. */
async function kubectl(...args: string[]): Promise<string> {
  return promisify(execFile)("kubectl", ["--kubeconfig", kubeconfig, "-n", namespace, ...args]).then(
    ({ stdout }) => stdout,
    // What execFile rejects with carries what the program wrote.
    (error: unknown) => (error as { stderr: string }).stderr,
  );
}
const edit = (name: string, spec: Record<string, unknown>) =>
  kubectl("patch", "pipelines.feldera.com", name, "--type=merge", "-p", JSON.stringify({ spec }));

test("kubectl is told which fields may not change while a pipeline runs, and what is stored stays", async () => {
  const name = await at("busy", running);
  const both = { program_code: "CREATE TABLE u (id INT);", udf_toml: "[dependencies]", description: "words" };
  const refused = await edit(name, both);
  for (const field of ["spec.program_code", "spec.udf_toml"])
    expect(refused).toContain(`${field}: can be changed only while the pipeline is stopped; it is Running`);
  expect(refused).not.toContain("spec.description");
  expect(await edit(name, { description: "words" })).toContain("patched");
  expect(await kubectl("delete", "pipelines.feldera.com", name)).toContain("Stop the pipeline first; it is Running");
});

test("kubectl is told what changes only once the storage is cleared; cleared, it changes and goes", async () => {
  const name = await at("kept", { storage_status: "InUse" });
  expect(await edit(name, { runtime_config: { workers: 3 } })).toContain(
    "spec.runtime_config.workers: can be changed only once the storage is cleared; it is InUse",
  );
  expect(await kubectl("delete", "pipelines.feldera.com", name)).toContain("Clear the storage first; it is InUse");
  const free = await at("free", {});
  expect(await edit(free, { runtime_config: { workers: 3 } })).toContain("patched");
  expect(await kubectl("delete", "pipelines.feldera.com", free)).toContain("deleted");
});

test("a namespace that goes takes along even what runs", async () => {
  await at("last", running);
  await client.delete(apis.namespace, { name: namespace });
  await until("it is gone", () =>
    client.get(api, { namespace, name: "last" }).then(
      () => false,
      (error: unknown) => isNotFound(error),
    ),
  );
});
