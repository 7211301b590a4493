import { afterAll, beforeAll, expect, test } from "vitest";
import { createPipeline, podOf } from "@/server/resources/fixtures/feldera";
import { createNamespace } from "@/server/resources/fixtures/firebolt";
import { createStage, type Stage } from "@/server/resources/fixtures/stage";
import { PIPELINE_PORT } from "../pipeline-names";
import { handleRest } from "./handle-rest";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage({ reads: "memory" });
  await createNamespace(stage, "streams");
});
afterAll(() => stage.stop());

/** A pipeline whose process has this address and answers so when it is asked. */
async function running(name: string, podIP: string, body: string): Promise<void> {
  const at = { namespace: "streams", name };
  await createPipeline(stage, at, { status: { deployment_resources_status: "Provisioned" } });
  await stage.setStatus(await stage.create(podOf(at, "process", undefined)), { podIP });
  stage.answers.set(`http://${podIP}:${PIPELINE_PORT}/status`, () => ({ status: 200, body }));
}

async function connectorsOf(path: string): Promise<unknown> {
  const request = new Request(`http://orrery.test/v0/${path}?selector=status_with_connectors`, {
    headers: { authorization: `Bearer ${stage.sandbox.adminToken}` },
  });
  const body: unknown = await (await handleRest(stage.services, request, { namespace: "streams" })).json();
  const all = (Array.isArray(body) ? body : [body]) as { name: string; connectors: unknown; program_code?: string }[];
  expect(all.every((one) => !("program_code" in one))).toBe(true);
  return Object.fromEntries(all.map(({ name, connectors }) => [name, connectors]));
}

test("the errors of connectors are told by the process, and are null where none can be asked", async () => {
  const details = { connector_stats: { num_errors: 3 } };
  await running("talks", "10.1.0.1", JSON.stringify({ runtime_status: "Running", runtime_status_details: details }));
  await running("older", "10.1.0.2", JSON.stringify({ runtime_status: "Running" }));
  await running("mumbles", "10.1.0.3", "<html>");
  await createPipeline(stage, { namespace: "streams", name: "stopped" });
  const expected = { talks: { num_errors: 3 }, older: null, mumbles: null, stopped: null };
  expect(await connectorsOf("pipelines")).toEqual(expected);
  expect(await connectorsOf("pipelines/talks")).toEqual({ talks: { num_errors: 3 } });
});
