import { afterAll, beforeAll, expect, test } from "vitest";
import { feldera } from "@/machines/feldera/family";
import { type PipelineStatus } from "@/machines/feldera/pipeline.schema";
import { storageConfigOf } from "@/server/feldera/edit-rules";
import { runtimeConfigSchema } from "@/machines/feldera/runtime-config.schema";
import { apis } from "@/server/kubernetes/apis";
import { type KubernetesClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { silentLog } from "@/server/observability/log";
import { createLimitedClient, limitedNamespace } from "@/server/testing/limited-client";
import { createSandboxFleet, type SandboxFleet } from "@/server/testing/sandbox-fleet";
import { type Admission, startAdmission } from "./admission";

const { api } = feldera.kinds.pipeline;
let fleet: SandboxFleet;
let admission: Admission;
let client: KubernetesClient;

beforeAll(async () => {
  // No worker: a pipeline is where a test puts it.
  fleet = await createSandboxFleet({ kinds: [feldera.kinds.pipeline], reconcilers: {}, namespace: "streams" });
  // Whatever a rule looks up, it may do so with the rights in deploy/.
  client = await createLimitedClient(fleet);
  admission = await startAdmission({
    client,
    clock: systemClock,
    log: silentLog,
    bounds: {},
    namespace: limitedNamespace,
    host: "127.0.0.1",
    port: 0,
    url: "https://127.0.0.1:{port}",
  });
});
afterAll(async () => {
  await admission.stop();
  await client.close();
  await fleet.stop();
});

let made = 0;
async function at(status: Partial<PipelineStatus> = {}, spec: Record<string, unknown> = {}): Promise<string> {
  const name = `p${++made}`;
  await fleet.create(api, { metadata: { name }, spec: { program_code: "CREATE TABLE t (id INT);", ...spec } });
  await fleet.client.patch(api, { namespace: "streams", name }, { status }, { type: "merge", subresource: "status" });
  return name;
}
const edit = (name: string, spec: Record<string, unknown>) => fleet.patch(api, name, { spec });
const remove = (name: string) => fleet.client.delete(api, { namespace: "streams", name });

const wanted = { deployment_resources_desired_status: "Provisioned", deployment_initial: "Running" } as const;
const running = {
  ...wanted,
  deployment_resources_status: "Provisioned",
  deployment_runtime_status: "Running",
  storage_status: "InUse",
} as const;
const stopping = { ...running, deployment_resources_status: "Stopping" } as const;

// prettier-ignore
test.each([
  ["program_code",   { program_code: "CREATE TABLE u (id INT);" }],
  ["udf_rust",       { udf_rust: "fn f() {}" }],
  ["udf_toml",       { udf_toml: "[dependencies]" }],
  ["program_config", { program_config: { profile: "dev" } }],
  ["runtime_config", { runtime_config: { cpu_profiler: false } }],
])("spec.%s changes only while the pipeline is stopped", async (field, spec) => {
  for (const [status, standing] of [[running, "Running"], [stopping, "Stopping"], [wanted, "wanted to be Running"]] as const) {
    await expect(edit(await at(status), spec)).rejects.toThrow(
      `spec.${field}: can be changed only while the pipeline is stopped; it is ${standing}`,
    );
  }
  await edit(await at({ storage_status: "InUse" }), spec);
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
])("spec.%s changes only once the storage is cleared", async (field, runtime_config) => {
  for (const storage_status of ["InUse", "Clearing"] as const) {
    await expect(edit(await at({ storage_status }), { runtime_config })).rejects.toThrow(
      `spec.${field}: can be changed only once the storage is cleared; it is ${storage_status}`,
    );
  }
  await edit(await at(), { runtime_config });
});

test("what came in before the webhook can be taken back", async () => {
  const storage_config = storageConfigOf(runtimeConfigSchema.parse({ workers: 2 }));
  const name = await at({ storage_status: "InUse", storage_config }, { runtime_config: { workers: 4 } });
  await expect(edit(name, { runtime_config: { workers: 3 } })).rejects.toThrow("spec.runtime_config.workers");
  await edit(name, { runtime_config: { workers: 2 } });
});

test("wishes, words and labels change in any status, and a start with an edit is one of what is stopped", async () => {
  const name = await at(running);
  await edit(name, { description: "busy", tags: ["a"], deployment: { runtime: "Paused", request: 1 } });
  await fleet.patch(api, name, { metadata: { labels: { team: "a" } } });
  const both = { program_code: "CREATE TABLE u (id INT);", deployment: { desired: "Provisioned" } };
  const stopped = await at();
  await edit(stopped, both);
  // Nobody has looked at the start yet; it counts all the same.
  await expect(edit(stopped, { program_code: "" })).rejects.toThrow("spec.program_code");
});

// prettier-ignore
test.each([
  ["a name that is too long",   "n".repeat(46), {},                                                "metadata.name"],
  ["a program that is too big", "big",          { program_code: "x".repeat(650_000) },             "600000 are the most"],
  ["a reserved variable",       "reserved",     { runtime_config: { env: { FELDERA_X: "1" } } },   "reserved"],
])("refuses %s", async (_, name, spec, message) => {
  await expect(fleet.create(api, { metadata: { name }, spec })).rejects.toThrow(message);
});

test("what is stored goes by a clear, not with the pipeline; with its namespace goes everything", async () => {
  await expect(remove(await at(running))).rejects.toThrow("Stop the pipeline first; it is Running");
  const stored = await at({ storage_status: "InUse" });
  await expect(remove(stored)).rejects.toThrow("Clear the storage first; it is InUse");
  await remove(await at());
  await fleet.client.delete(apis.namespace, { name: "streams" });
  await fleet.until("it is gone", async () => (await fleet.find(api, stored)) === null);
});
