import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { z } from "zod";

const run = promisify(execFile);
const analytics = { kind: "firebolt.engine", namespace: "shop", name: "analytics" };

const operationSchema = z.object({
  operationId: z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.literal("query") })).optional(),
  requestBody: z.object({ content: z.record(z.string(), z.unknown()) }).optional(),
});
const documentSchema = z.object({
  servers: z.array(z.object({ url: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
});

test("the README's lines for tools run as they stand against the running product", async () => {
  const readme = await readFile("README.md", "utf8");
  const [, lines = ""] = /## For tools\n\n```ts\n([\s\S]+?)```/.exec(readme) ?? [];
  expect(lines).toContain("http://127.0.0.1:3000");
  const folder = await mkdtemp(join(tmpdir(), "orrery-readme-"));
  const file = join(folder, "tool.mts");
  await writeFile(file, lines.replace("http://127.0.0.1:3000", inject("url")));
  const { stdout } = await run(process.execPath, ["--import", "tsx", file]);
  await rm(folder, { recursive: true });
  expect(stdout).toContain("sentence: '");
  expect(stdout).toContain("waysOut");
});

test("who knows nothing but the OpenAPI document asks an engine and a machine, and previews a command", async () => {
  const url = inject("url");
  const document = documentSchema.parse(await (await fetch(`${url}/api/v1/openapi.json`)).json());
  const [server] = document.servers;
  const call = async (method: "get" | "post", path: string, input: object) => {
    const operation = document.paths[path]?.[method];
    const [parameter] = operation?.parameters ?? [];
    const [type = ""] = Object.keys(operation?.requestBody?.content ?? {});
    const search = parameter ? `?${new URLSearchParams({ [parameter.name]: JSON.stringify(input) }).toString()}` : "";
    const body = method === "post" ? { method, body: JSON.stringify(input), headers: { "content-type": type } } : {};
    const answer = await fetch(`${url}${server?.url ?? ""}${path}${search}`, body);
    return [answer.status, await answer.json()] as const;
  };
  const engine = { name: "analytics", namespace: "shop" };
  expect(await call("get", "/resource.get", analytics)).toMatchObject([200, { row: engine }]);
  expect(await call("post", "/resource.get", analytics)).toMatchObject([200, { row: engine }]);
  expect(await call("get", "/machines.get", { kind: "firebolt.engine" })).toMatchObject([200, { current: true }]);
  const stop = { ...analytics, command: "stop" };
  expect(await call("get", "/resource.preview", stop)).toMatchObject([
    200,
    { allowed: true, to: { phase: "creating" } },
  ]);
  expect(await call("post", "/resource.command", { ...stop, idempotencyKey: 1 })).toMatchObject([
    400,
    { refusal: { code: "invalid" } },
  ]);
});
