import { afterEach, expect, test } from "vitest";
import { type Health, type HealthServer, startHealthServer } from "./health-server";

let server: HealthServer | null = null;
afterEach(async () => {
  await server?.close();
});

test("a process that is alive and not ready says so, and gives its numbers", async () => {
  const health: Health = { alive: true, ready: false, detail: { waitingFor: ["pods"] } };
  server = await startHealthServer({ host: "127.0.0.1", port: 0, health: () => health, metrics: () => "up 1\n" });
  const { port } = server;
  const ask = async (path: string, method = "GET") => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return { status: answer.status, text: await answer.text(), type: answer.headers.get("content-type") };
  };
  expect(await ask("/healthz")).toMatchObject({ status: 200, text: '{"alive":true,"waitingFor":["pods"]}\n' });
  expect(await ask("/readyz")).toMatchObject({ status: 503, text: '{"ready":false,"waitingFor":["pods"]}\n' });
  health.ready = true;
  expect(await ask("/readyz?verbose")).toMatchObject({ status: 200 });
  expect(await ask("/metrics")).toMatchObject({ text: "up 1\n", type: "text/plain; version=0.0.4; charset=utf-8" });
  expect(await ask("/secrets")).toMatchObject({ status: 404 });
  expect(await ask("/healthz", "POST")).toMatchObject({ status: 404 });
});
