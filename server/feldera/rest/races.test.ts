import { afterAll, beforeAll, expect, test } from "vitest";
import { feldera } from "@/machines/feldera/family";
import { createStage } from "@/server/resources/fixtures/stage";
import { handleRest } from "./handle-rest";

let stage: Awaited<ReturnType<typeof createStage>>;
beforeAll(async () => void (stage = await createStage()));
afterAll(() => stage.stop());

const { api } = feldera.kinds.pipeline;
const namespace = "default";

async function create(name: string): Promise<void> {
  const metadata = { name, namespace };
  await stage.create({ apiVersion: "feldera.com/v1alpha1", kind: "Pipeline", metadata, spec: {} });
}

/** A request that is overtaken: right after the pipeline was looked at for it, somebody else changes the pipeline. */
async function overtaken(method: string, name: string, by: Record<string, unknown>, body?: unknown) {
  let isFirst = true;
  const client: typeof stage.client = {
    ...stage.client,
    get: async (of, key, call) => {
      const object = await stage.client.get(of, key, call);
      if (of === api && isFirst) {
        isFirst = false;
        await stage.client.patch(api, { namespace, name }, { spec: by }, { type: "merge" });
      }
      return object;
    },
  };
  const request = new Request(`http://orrery.test/v0/pipelines/${name}`, {
    method,
    headers: { authorization: `Bearer ${stage.sandbox.adminToken}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const response = await handleRest({ ...stage.services, client }, request, { namespace });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const started = { deployment: { desired: "Provisioned" } };
const edited = { program_code: "CREATE TABLE u (id INT);" };
const stored = async (name: string) => (await stage.client.get(api, { namespace, name })).spec;

test("a pipeline that was started meanwhile is not deleted", async () => {
  await create("deleted");
  const answer = await overtaken("DELETE", "deleted", started);
  expect(answer).toMatchObject({ status: 400, body: { error_code: "DeleteRestrictedToFullyStopped" } });
  expect(await stored("deleted")).toMatchObject(started);
});

test("a pipeline whose words were changed meanwhile is deleted all the same", async () => {
  await create("described");
  expect((await overtaken("DELETE", "described", { description: "changed" })).status).toBe(200);
});

test("a pipeline that was started meanwhile keeps its name, and leaves none of the other", async () => {
  await create("renamed");
  const answer = await overtaken("PATCH", "renamed", started, { name: "renamed-new" });
  expect(answer).toMatchObject({ status: 400, body: { error_code: "UpdateRestrictedToStopped" } });
  expect(await stored("renamed")).toMatchObject(started);
  await expect(stored("renamed-new")).rejects.toMatchObject({ kind: "notFound" });
});

test("what was edited meanwhile is renamed as it is then", async () => {
  await create("followed");
  expect((await overtaken("PATCH", "followed", edited, { name: "followed-new" })).status).toBe(200);
  expect(await stored("followed-new")).toMatchObject(edited);
  await expect(stored("followed")).rejects.toMatchObject({ kind: "notFound" });
});

test("an edit while it was started meanwhile is refused", async () => {
  await create("edited");
  const answer = await overtaken("PATCH", "edited", started, edited);
  expect(answer).toMatchObject({ status: 400, body: { error_code: "UpdateRestrictedToStopped" } });
  expect(await stored("edited")).not.toMatchObject(edited);
});
