import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ controllers: false });
});

afterAll(() => sandbox.stop());

const paths = [
  "/api/v1/namespaces/default/configmaps",
  "/api/v1/namespaces/default/configmaps/a",
  "/apis/apps/v1/namespaces/default/deployments",
  "/apis/apps/v1/namespaces/default/deployments/a/scale",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "/api/v1/namespaces/default/pods/a/eviction",
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
];
const contentTypes = [
  "application/json",
  "application/yaml",
  "application/merge-patch+json",
  "application/json-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "application/vnd.kubernetes.protobuf",
  "",
];

test("whatever is sent, the answer is a Status or an object, and never an internal error", async () => {
  const body = fc.oneof(
    fc.json(),
    fc.string(),
    fc.constantFrom(
      '{"__proto__":{"x":1}}',
      '{"metadata":null}',
      '{"metadata":{"name":"a","labels":5}}',
      "k8s\0\n\u0001",
      "[[[[",
      "null",
      "{",
      '[{"op":"add","path":"/__proto__/x","value":1}]',
    ),
    fc
      .record({
        metadata: fc.record({ name: fc.constantFrom("a", "B", ""), labels: fc.anything(), finalizers: fc.anything() }),
        spec: fc.anything(),
        data: fc.anything(),
      })
      .map((value) => JSON.stringify(value)),
  );
  const request = fc.record({
    method: fc.constantFrom("POST", "PUT", "PATCH", "DELETE", "GET"),
    path: fc.constantFrom(...paths),
    query: fc.constantFrom(
      "",
      "?limit=-1",
      "?continue=%00",
      "?labelSelector=%2C",
      "?fieldSelector=%3D",
      "?fieldManager=m&force=true",
      "?resourceVersion=x",
      "?dryRun=All",
    ),
    contentType: fc.constantFrom(...contentTypes),
    body,
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, contentType, body: text }) => {
      const answer = await fetch(`${sandbox.url}${path}${query}`, {
        method,
        headers: { authorization: `Bearer ${sandbox.adminToken}`, "content-type": contentType },
        ...(method === "GET" ? {} : { body: text }),
      });
      const said = await answer.text();
      expect(answer.status, said).toBeLessThan(500);
      expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    }),
    { numRuns: Number(process.env["FUZZ_RUNS"] ?? 300), seed: Number(process.env["FUZZ_SEED"] ?? 3) },
  );
  expect(
    (await fetch(`${sandbox.url}/readyz`, { headers: { authorization: `Bearer ${sandbox.adminToken}` } })).status,
  ).toBe(200);
});

test("bytes that are no HTTP close the connection and nothing else", async () => {
  const { port } = new URL(sandbox.url);
  for (const bytes of ["\x16\x03\x01garbage", "nonsense\r\n\r\n", "\0"]) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.end(bytes);
    socket.resume();
    await once(socket, "close");
  }
  expect(
    (await fetch(`${sandbox.url}/healthz`, { headers: { authorization: `Bearer ${sandbox.adminToken}` } })).status,
  ).toBe(200);
});

test("it listens on loopback and nowhere else", async () => {
  await expect(createSandbox({ host: "0.0.0.0" })).rejects.toThrow(
    "The sandbox listens on loopback only, and 0.0.0.0 is not",
  );
});
