import { afterAll, beforeAll, expect, test } from "vitest";
import { findCondition } from "@/machines/conditions";
import { apis } from "@/server/kubernetes/apis";
import { createPipelines, type Pipelines } from "./fixtures/pipelines";

/** A cluster without the admission webhook: every pipeline comes in that fits its schema. */
let pipelines: Pipelines;
beforeAll(async () => void (pipelines = await createPipelines()));
afterAll(() => pipelines.stop());

const started = { deployment: { desired: "Provisioned" } };
const failed = (name: string) =>
  pipelines.untilStatus(
    name,
    "stopped with an error",
    ({ deployment_status, deployment_error }) => deployment_status === "Stopped" && Boolean(deployment_error),
  );

// prettier-ignore
test.each([
  ["reserved", { env: { FELDERA_X: "1" } },                               "runtime_config.env"],
  ["nameless", { env: { "A=B": "1" } },                                   "runtime_config.env"],
  ["upside",   { resources: { cpu_cores_min: 2, cpu_cores_max: 1 } },     "runtime_config.resources.cpu_cores_min"],
  ["wrong",    { resources: { storage_class: "Not A Name" } },            "runtime_config.resources.storage_class"],
])("a configuration that cannot be run (%s) is compiled, and fails the start with its field", async (name, runtime_config, field) => {
  await pipelines.create(name, { ...started, runtime_config });
  const { deployment_error, program_status, storage_status } = await failed(name);
  expect({ program_status, storage_status }).toEqual({ program_status: "Success", storage_status: "Cleared" });
  expect(deployment_error).toMatchObject({ error_code: "AutomatonInvalidRuntimeConfig", details: { fields: [field] } });
  expect(deployment_error?.message).toContain(`\`${field}\``);
});

test("an object that the API server refuses for good stops the pipeline at once, with what it said", async () => {
  // Somebody else's, of the same name: what is to be made cannot be made of it.
  const labels = { app: "other" };
  await pipelines.client.create(apis.statefulSet, {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "pl-refused", namespace: "streams" },
    spec: {
      replicas: 0,
      serviceName: "other",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "other", image: "localhost/node:20" }] } },
    },
  });
  await pipelines.create("refused", started);
  const { deployment_error, ...status } = await failed("refused");
  expect(deployment_error?.error_code).toBe("RunnerProvisionError");
  expect(deployment_error?.message).toContain('StatefulSet.apps "pl-refused" is invalid');
  expect(status).not.toHaveProperty("held_up");
});

test("a quota that leaves no room for its claim is what it waits for, until there is room", async () => {
  const quota = (claims: string) => ({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "small", namespace: "streams" },
    spec: { hard: { persistentvolumeclaims: claims } },
  });
  await pipelines.client.create(apis.resourceQuota, quota("0"));
  await pipelines.create("waits", started);
  const waiting = await pipelines.untilStatus("waits", "refused", ({ held_up }) => Boolean(held_up));
  expect(waiting.held_up).toMatchObject({ for_good: false });
  expect(waiting.held_up?.message).toContain("exceeded quota: small");
  expect(findCondition(waiting.conditions, "Ready")?.message).toContain("exceeded quota: small");
  await pipelines.client.delete(apis.resourceQuota, { namespace: "streams", name: "small" });
  expect(await pipelines.until("waits", "Running")).not.toHaveProperty("held_up");
});
