import { afterAll, beforeAll, expect, test } from "vitest";
import { findCondition } from "@/machines/conditions";
import { feldera } from "@/machines/feldera/family";
import { pipelineSchema, type PipelineStatus } from "@/machines/feldera/pipeline.schema";
import { apis } from "@/server/kubernetes/apis";
import { createPipelines, goodSql, type Pipelines } from "./fixtures/pipelines";

/** A cluster without the admission webhook, and one compiler for all of its namespaces. */
let pipelines: Pipelines;
beforeAll(async () => void (pipelines = await createPipelines()));
afterAll(() => pipelines.stop());

const { api } = feldera.kinds.pipeline;
const name = "poor";

/** A pipeline in a namespace of its own that may hold no more than this. */
async function poorIn(namespace: string, hard: Record<string, string>) {
  await pipelines.client.create(apis.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const quota = { namespace, name: "small" };
  await pipelines.client.create(apis.resourceQuota, {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: quota,
    spec: { hard },
  });
  const metadata = { namespace, name };
  await pipelines.client.create(api, {
    apiVersion: "feldera.com/v1alpha1",
    kind: "Pipeline",
    metadata,
    spec: { program_code: goodSql },
  });
  const until = (what: string, is: (status: PipelineStatus) => boolean) =>
    pipelines.eventually(`it is ${what}`, async () => {
      const { status } = pipelineSchema.parse(await pipelines.client.get(api, metadata));
      return is(status) && status;
    });
  return { until, enrich: () => pipelines.client.delete(apis.resourceQuota, quota) };
}

// prettier-ignore
test.each([
  ["job", { "count/jobs.batch": "0" }],
  ["pod", { pods: "0" }],
])("where no %s can be made, a program waits and says why, and holds up no other", async (what, hard) => {
  const { until, enrich } = await poorIn(`no-${what}`, hard);
  await until("compiling", ({ program_status }) => program_status === "CompilingSql");
  const next = `after-${what}`;
  await pipelines.create(next);
  await pipelines.compiled(next);
  const held = await until("held up", ({ held_up }) => Boolean(held_up));
  expect(held.program_status).toBe("CompilingSql");
  expect(findCondition(held.conditions, "Compiled")?.message).toContain("exceeded quota: small");
  await enrich();
  expect(await until("compiled", ({ program_status }) => program_status === "Success")).not.toHaveProperty("held_up");
});

// prettier-ignore
test.each([
  ["is too long for what is made of it",     "n".repeat(60)],
  ["cannot be that of what is made of it",   "a.b"],
])("a name that %s is told as an error of the program, and holds up no other", async (_why, unfit) => {
  await pipelines.create(unfit);
  const next = `after-${unfit.length}`;
  await pipelines.create(next);
  await pipelines.compiled(next);
  const { status } = await pipelines.pipeline(unfit);
  expect(status.program_status).toBe("SystemError");
  expect(status.program_error?.system_error).toMatch(/^The name /);
});

test("a Job that the API server never takes is an error of the program, and holds up no other", async () => {
  // Somebody else's, of the same name: what is to be made cannot be made of it.
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "other", image: "localhost/node:20" }] } };
  await pipelines.client.create(apis.job, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { namespace: "streams", name: "pl-taken-sql-1" },
    spec: { parallelism: 0, template },
  });
  await pipelines.create("taken");
  await pipelines.create("follows");
  await pipelines.compiled("follows");
  const { status } = await pipelines.pipeline("taken");
  expect(status.program_status).toBe("SystemError");
  expect(status.program_error?.system_error).toContain('Job.batch "pl-taken-sql-1" is invalid');
});
