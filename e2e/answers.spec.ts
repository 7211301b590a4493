import { expect, inject, test } from "vitest";

const nobody = { kind: "firebolt.engine", namespace: "shop", name: "nobody" };
const noJob = { id: "00000000-0000-4000-8000-000000000000" };

async function ask(path: string, init?: RequestInit): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${inject("url")}${path}`, init);
  return { status: answer.status, body: await answer.json() };
}

const input = (value: object) => `?input=${encodeURIComponent(JSON.stringify(value))}`;

// The pages are built apart from the process that they run in; only the running product shows that both understand each other.
test.each([
  ["/api/v1/resource.get", nobody],
  ["/api/v1/resource.explain", nobody],
  ["/api/v1/resource.yaml", nobody],
  ["/api/v1/bulk.get", noJob],
])("%s of what is not there is a refusal, and no fault", async (path, wanted) => {
  const { status, body } = await ask(`${path}${input(wanted)}`);
  expect(body).toMatchObject({ refusal: { code: "not found" } });
  expect(status).toBe(404);
});

test("tRPC tells the same", async () => {
  const { status, body } = await ask(`/api/trpc/resource.get${input(nobody)}`);
  expect(body).toMatchObject({ error: { data: { code: "NOT_FOUND", refusal: { code: "not found" } } } });
  expect(status).toBe(404);
});

test("a command for nobody changes nothing and is told why", async () => {
  const body = JSON.stringify({ ...nobody, command: "stop", idempotencyKey: "for-nobody" });
  const headers = { "content-type": "application/json" };
  const answer = await ask("/api/v1/resource.command", { method: "POST", body, headers });
  expect(JSON.stringify(answer.body)).toContain("There is no Engine shop/nobody.");
  expect(answer.status).toBeLessThan(500);
});

test("a pipeline's name that is taken is a conflict", async () => {
  const body = JSON.stringify({ name: "taken", program_code: "CREATE TABLE t (a INT);" });
  const create = () => ask("/v0/pipelines", { method: "POST", body, headers: { "content-type": "application/json" } });
  expect((await create()).status).toBe(201);
  expect(await create()).toMatchObject({ status: 409, body: { error_code: "DuplicateName" } });
  expect(await ask("/v0/pipelines/untaken")).toMatchObject({
    status: 404,
    body: { error_code: "UnknownPipelineName" },
  });
  expect((await ask("/v0/pipelines/taken", { method: "DELETE" })).status).toBe(200);
});
