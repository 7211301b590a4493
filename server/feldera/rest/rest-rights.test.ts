import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubernetesClient } from "@/server/kubernetes/client";
import { createStage } from "@/server/resources/fixtures/stage";
import { createLimitedClient } from "@/server/testing/limited-client";
import { handleRest } from "./handle-rest";

let stage: Awaited<ReturnType<typeof createStage>>;
let client: KubernetesClient;
beforeAll(async () => {
  stage = await createStage();
  client = await createLimitedClient(stage);
});
afterAll(async () => {
  await client.close();
  await stage.stop();
});

const call = async (method: string, path: string, body?: unknown) => {
  const headers = { authorization: `Bearer ${stage.sandbox.adminToken}` };
  const request = new Request(`http://orrery.test/v0/${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const response = await handleRest({ ...stage.services, client }, request, { namespace: "default" });
  return response.status;
};

// prettier-ignore
test("the rights in deploy/ are enough for every request of the REST API", async () => {
  expect(await call("POST",   "pipelines",       { name: "a", program_code: "" })).toBe(201);
  expect(await call("PUT",    "pipelines/b",     { program_code: "" })).toBe(201);
  expect(await call("GET",    "pipelines")).toBe(200);
  expect(await call("GET",    "pipelines/a")).toBe(200);
  expect(await call("PUT",    "pipelines/a",     { program_code: "CREATE TABLE t (id INT);" })).toBe(200);
  expect(await call("PATCH",  "pipelines/a",     { description: "words" })).toBe(200);
  expect(await call("PATCH",  "pipelines/b",     { name: "c" })).toBe(200);
  expect(await call("POST",   "pipelines/a/start")).toBe(202);
  expect(await call("POST",   "pipelines/a/stop")).toBe(202);
  expect(await call("DELETE", "pipelines/c")).toBe(200);
});
