import { afterAll, beforeAll, expect, test } from "vitest";
import { createPipeline } from "@/server/resources/fixtures/feldera";
import { createNamespace } from "@/server/resources/fixtures/firebolt";
import { createStage, type Stage } from "@/server/resources/fixtures/stage";
import { provideServices } from "@/server/services";
import { GET } from "./route";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
  await createNamespace(stage, "streams");
  await createPipeline(stage, { namespace: "streams", name: "orders" });
  provideServices({ ...stage.services, restNamespace: "streams" });
});
afterAll(async () => {
  provideServices(null);
  await stage.stop();
});

test("a request that names no namespace speaks of the one that was chosen at the start", async () => {
  const headers = { authorization: `Bearer ${stage.sandbox.adminToken}` };
  const named = async (query: string) => {
    const answer = await GET(new Request(`http://orrery.test/v0/pipelines${query}`, { headers }));
    return ((await answer.json()) as { name: string }[]).map(({ name }) => name);
  };
  expect(await named("")).toEqual(["orders"]);
  expect(await named("?namespace=default")).toEqual([]);
});
