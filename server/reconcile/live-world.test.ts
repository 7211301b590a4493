import { createServer, type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { createVirtualClock, systemClock } from "@/server/kubernetes/clock";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";
import { until } from "@/server/testing/until";
import { callProcess, createLiveWorld } from "./live-world";
import { type World } from "./world";

let sandbox: Sandbox;
let client: KubernetesClient;
let world: World;
let peer: Server;
let peerUrl: string;

beforeAll(async () => {
  sandbox = await createSandbox({ controllers: false });
  client = createClient({ connection: sandbox.connection(), clock: systemClock });
  world = createLiveWorld({ client, clock: systemClock });
  const configMap = (name: string, more: object) =>
    client.create(apis.configMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "default", name, ...more },
    });
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "owner-uid" };
  await configMap("a", { labels: { part: "x" }, ownerReferences: [owner] });
  await configMap("b", { labels: { part: "x" } });
  await configMap("c", {});
  peer = createServer((request, response) => {
    if (request.url === "/hang") return;
    if (request.url === "/moved") response.writeHead(302, { location: "/elsewhere" });
    response.end(request.url);
  });
  await new Promise<void>((resolve) => peer.listen(0, "127.0.0.1", resolve));
  peerUrl = `http://127.0.0.1:${(peer.address() as AddressInfo).port}`; // it listens on a port
});

afterAll(async () => {
  peer.closeAllConnections();
  peer.close();
  await client.close();
  await sandbox.stop();
});

test("null means that there is no such object, and every other trouble is thrown", async () => {
  expect(await world.get(apis.configMap, { namespace: "default", name: "none" })).toBeNull();
  const stranger = createLiveWorld({
    client: createClient({
      connection: {
        ...sandbox.connection(),
        credentials: async () => ({ headers: { authorization: "Bearer wrong" }, tls: {}, version: "1" }),
      },
      clock: systemClock,
    }),
    clock: systemClock,
  });
  await expect(stranger.get(apis.configMap, { namespace: "default", name: "a" })).rejects.toMatchObject({
    kind: "unauthorized",
  });
});

test("objects are found by namespace, labels and owner together", async () => {
  const names = async (where?: Parameters<World["list"]>[1]) =>
    (await world.list(apis.configMap, where)).map(({ metadata }) => metadata.name).filter((name) => name.length === 1);
  expect(await names({ namespace: "default" })).toEqual(["a", "b", "c"]);
  expect(await names({ namespace: "default", labels: { part: "x" } })).toEqual(["a", "b"]);
  expect(await names({ labels: { part: "x" }, ownerUid: "owner-uid" })).toEqual(["a"]);
});

test("a managed process is asked, and a redirect is not followed", async () => {
  expect(await world.live.fetch(`${peerUrl}/metrics`, { timeoutMs: 30_000 })).toEqual({
    status: 200,
    body: "/metrics",
  });
  expect(await world.live.fetch(`${peerUrl}/moved`, { timeoutMs: 30_000 })).toMatchObject({ status: 302 });
});

test("a managed process that does not answer is given up when its time is over", async () => {
  const clock = createVirtualClock();
  const answer = callProcess(clock, { method: "GET", url: `${peerUrl}/hang`, timeoutMs: 2_000 });
  const failed = expect(answer).rejects.toMatchObject({ kind: "timeout" });
  await until("the call is under way", () => clock.nextInMs() !== null);
  await clock.advance(2_000);
  await failed;
});

test("a pod that is not there is an answer of the proxy, not an exception", async () => {
  const answer = await world.live.proxy({ namespace: "default", name: "none" }, 80, "/metrics", { timeoutMs: 30_000 });
  expect(answer.status).toBeGreaterThanOrEqual(400);
});
