import { afterAll, beforeAll, expect, test } from "vitest";
import { feldera } from "@/machines/feldera/family";
import { apis } from "@/server/kubernetes/apis";
import { createPipelines, goodSql, type Pipelines } from "./fixtures/pipelines";

let pipelines: Pipelines;
beforeAll(async () => void (pipelines = await createPipelines()));
afterAll(() => pipelines.stop());

const { api } = feldera.kinds.pipeline;
const started = { deployment: { desired: "Provisioned" } };

/** A pipeline that stays for as long as somebody holds it. */
const createHeld = (name: string, spec: Record<string, unknown> = {}) =>
  pipelines.client.create(api, {
    apiVersion: "feldera.com/v1alpha1",
    kind: "Pipeline",
    metadata: { namespace: "streams", name, finalizers: ["example.com/hold"] },
    spec: { program_code: goodSql, ...spec },
  });

test("a pipeline that is being deleted is stopped, without an error", async () => {
  await createHeld("runs", started);
  await pipelines.until("runs", "Running");
  await pipelines.remove("runs");
  const stopped = await pipelines.until("runs", "Stopped");
  expect(stopped.deployment_error).toBeUndefined();
});

test("a pipeline that is being deleted is not compiled, and holds up no other", async () => {
  await pipelines.stopWorker();
  await createHeld("goes");
  await pipelines.remove("goes");
  await pipelines.create("stays");
  await pipelines.restartWorker();
  await pipelines.compiled("stays");
  expect((await pipelines.pipeline("goes")).status.program_status).toBe("Pending");
});

test("nothing is made again of a pipeline that goes after what it owns", async () => {
  await pipelines.create("coming", { ...started, runtime_config: { resources: { cpu_cores_min: 9_000 } } });
  await pipelines.until("coming", "Provisioning");
  await pipelines.eventually("its pod is there", () => pipelines.object(apis.pod, "pl-coming-0"));
  await pipelines.client.delete(api, { namespace: "streams", name: "coming" }, { propagation: "Foreground" });
  const since = pipelines.sent.length;
  await pipelines.eventually("it is gone", async () => !(await pipelines.exists("coming")));
  const made = pipelines.sent
    .slice(since)
    .filter(({ method, path }) => method === "PATCH" && path.includes("pl-coming"));
  expect(made).toEqual([]);
});
