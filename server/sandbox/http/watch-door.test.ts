import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configMap, configMapsIn, created } from "@/server/sandbox/contract/samples";
import { openTarget, type Target } from "@/server/sandbox/contract/target";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";

// What a real server does only after minutes, or only to a client that nobody wants to be.
let sandbox: Sandbox;
let target: Target;

beforeAll(async () => {
  sandbox = await createSandbox({ controllers: false });
  target = await openTarget(sandbox.connection());
});

afterAll(async () => {
  await target.close();
  await sandbox.stop();
});

test("after a compaction, watches, pages and lists from before it are told that they are too late", async () => {
  const path = configMapsIn(await target.bareNamespace());
  for (const name of ["a", "b", "c"]) await created(target, path, configMap(name));
  const { object } = await target.send("GET", `${path}?limit=1`);
  const before = String(object.metadata.resourceVersion);
  await created(target, path, configMap("d"));
  sandbox.cluster.store.compact();

  const watch = await target.send("GET", `${path}?watch=true&resourceVersion=${before}`);
  expect(watch.status).toBe(200);
  expect(JSON.parse(watch.text)).toMatchObject({
    type: "ERROR",
    object: {
      kind: "Status",
      code: 410,
      reason: "Expired",
      message: expect.stringMatching(/^too old resource version: \d+ \(\d+\)$/),
    },
  });
  const token = encodeURIComponent(String((object.metadata as { continue?: string }).continue));
  const page = await target.send("GET", `${path}?limit=1&continue=${token}`);
  expect(page).toMatchObject({ status: 410, object: { reason: "Expired" } });
  const exact = await target.send("GET", `${path}?resourceVersion=${before}&resourceVersionMatch=Exact`);
  expect(exact).toMatchObject({ status: 410, object: { reason: "Expired" } });
});

test("a watcher that does not read is let go, and nobody else waits for it", async () => {
  const path = configMapsIn(await target.bareNamespace());
  const headers = { authorization: `Bearer ${sandbox.adminToken}` };
  const [answer] = (await once(get(`${sandbox.url}${path}?watch=true`, { headers }), "response")) as [IncomingMessage];
  answer.pause();
  const isServed = () => [...sandbox.sockets()].some(({ remotePort }) => remotePort === answer.socket.localPort);
  expect(isServed()).toBe(true);
  const small = await created(target, path, configMap("small"));
  // Straight into the store: over HTTP so much would take seconds.
  const large = { ...small, metadata: { ...small.metadata, name: "large" }, data: { large: "x".repeat(8_000_000) } };
  for (let n = 0; isServed() && n < 40; n += 1) {
    sandbox.cluster.store.put("configmaps", large);
    expect((await target.send("GET", `${path}/small`)).status).toBe(200);
  }
  expect(isServed()).toBe(false);
  answer.destroy();
});
