import { afterAll, beforeAll, expect, test } from "vitest";
import { feldera } from "@/machines/feldera/family";
import { pipelineSchema } from "@/machines/feldera/pipeline.schema";
import { createStage } from "@/server/resources/fixtures/stage";
import { programHash } from "../program-hash";
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
async function overtaken(
  method: string,
  path: string,
  by: { spec?: Record<string, unknown>; status?: Record<string, unknown> },
  body?: unknown,
) {
  const [name = ""] = path.split("/");
  const how = { type: "merge", ...(by.status && { subresource: "status" }) } as const;
  let isFirst = true;
  const client: typeof stage.client = {
    ...stage.client,
    get: async (of, key, call) => {
      const object = await stage.client.get(of, key, call);
      if (of === api && isFirst) {
        isFirst = false;
        await stage.client.patch(api, { namespace, name }, by, how);
      }
      return object;
    },
  };
  const request = new Request(`http://orrery.test/v0/pipelines/${path}`, {
    method,
    headers: { authorization: `Bearer ${stage.sandbox.adminToken}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const response = await handleRest({ ...stage.services, client }, request, { namespace });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** What may have to wait for something else. */
async function inTime<T>(asked: Promise<T>): Promise<T> {
  const waits = { over: false };
  const answer = asked.finally(() => (waits.over = true));
  while (!waits.over) await stage.clock.advance(50);
  return answer;
}

const wanted = { deployment: { desired: "Provisioned" } };
const started = { spec: wanted };
const code = { program_code: "CREATE TABLE u (id INT);" };
const edited = { spec: code };
const stored = async (name: string) => (await stage.client.get(api, { namespace, name })).spec;

test("a pipeline that was started meanwhile is not deleted", async () => {
  await create("deleted");
  const answer = await overtaken("DELETE", "deleted", started);
  expect(answer).toMatchObject({ status: 400, body: { error_code: "DeleteRestrictedToFullyStopped" } });
  expect(await stored("deleted")).toMatchObject(wanted);
});

test("a pipeline whose words were changed meanwhile is deleted all the same", async () => {
  await create("described");
  expect((await overtaken("DELETE", "described", { spec: { description: "changed" } })).status).toBe(200);
});

test("a pipeline that was started meanwhile keeps its name, and leaves none of the other", async () => {
  await create("renamed");
  const answer = await overtaken("PATCH", "renamed", started, { name: "renamed-new" });
  expect(answer).toMatchObject({ status: 400, body: { error_code: "UpdateRestrictedToStopped" } });
  expect(await stored("renamed")).toMatchObject(wanted);
  await expect(stored("renamed-new")).rejects.toMatchObject({ kind: "notFound" });
});

test("what was edited meanwhile is renamed as it is then", async () => {
  await create("followed");
  expect((await overtaken("PATCH", "followed", edited, { name: "followed-new" })).status).toBe(200);
  expect(await stored("followed-new")).toMatchObject(code);
  await expect(stored("followed")).rejects.toMatchObject({ kind: "notFound" });
});

test("an edit while it was started meanwhile is refused", async () => {
  await create("edited");
  const answer = await overtaken("PATCH", "edited", started, code);
  expect(answer).toMatchObject({ status: 400, body: { error_code: "UpdateRestrictedToStopped" } });
  expect(await stored("edited")).not.toMatchObject(code);
});

test("a request that was refused for what is over by now is asked again, and not given another reason", async () => {
  await create("clears");
  const at = { namespace, name: "clears" };
  const { spec } = pipelineSchema.parse(await stage.client.get(api, at));
  const status = { storage_status: "Clearing", program_status: "Success", handled: { program: programHash(spec) } };
  await stage.client.patch(api, at, { status }, { type: "merge", subresource: "status" });
  const answer = await inTime(overtaken("POST", "clears/start", { status: { storage_status: "Cleared" } }));
  expect(answer).toMatchObject({ status: 202, body: { message: "Pipeline is starting" } });
});

test("commands that come at once are carried out one after the other", async () => {
  await create("at-once");
  const headers = { authorization: `Bearer ${stage.sandbox.adminToken}` };
  const start = () =>
    handleRest(
      stage.services,
      new Request("http://orrery.test/v0/pipelines/at-once/start", { method: "POST", headers }),
      { namespace },
    );
  const all = await inTime(Promise.all(Array.from({ length: 5 }, start)));
  expect(all.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
});
