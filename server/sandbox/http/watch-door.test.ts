import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
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

test("many watchers each see every event once and in order, however many are sent together", async () => {
  const path = configMapsIn(await target.bareNamespace());
  const [watchers, writes] = [20, 300];
  const seen = await Promise.all(Array.from({ length: watchers }, () => watchLines(path, writes)));
  await Promise.all(Array.from({ length: writes }, (_, n) => created(target, path, configMap(`c-${n}`))));
  const versions = await Promise.all(seen.map(async ({ lines }) => (await lines).map(versionOf)));
  const [first = []] = versions;
  expect(new Set(first).size).toBe(writes);
  expect(first).toEqual(first.toSorted((a, b) => a - b));
  for (const others of versions) expect(others).toEqual(first);
});

test("a client that knows no chunks gets the events alone", async () => {
  const path = configMapsIn(await target.bareNamespace());
  const socket = connect(Number(new URL(sandbox.url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (bytes: Buffer) => (text += bytes.toString()));
  socket.write(`GET ${path}?watch=true HTTP/1.0\r\nauthorization: Bearer ${sandbox.adminToken}\r\n\r\n`);
  await once(socket, "data");
  await created(target, path, configMap("one"));
  while (!text.endsWith("}\n")) await once(socket, "data");
  socket.destroy();
  const [head = "", body = ""] = text.split("\r\n\r\n");
  expect(head).not.toMatch(/transfer-encoding/i);
  expect(JSON.parse(body)).toMatchObject({ type: "ADDED", object: { metadata: { name: "one" } } });
});

/** A watch that is open, and what it will have said after so many events. */
async function watchLines(path: string, count: number): Promise<{ lines: Promise<string[]> }> {
  const headers = { authorization: `Bearer ${sandbox.adminToken}` };
  const [answer] = (await once(get(`${sandbox.url}${path}?watch=true`, { headers }), "response")) as [IncomingMessage];
  let text = "";
  const lines = new Promise<string[]>((resolve) => {
    answer.on("data", (bytes: Buffer) => {
      text += bytes.toString();
      const whole = text.split("\n").slice(0, -1);
      if (whole.length < count) return;
      answer.destroy();
      resolve(whole);
    });
  });
  return { lines };
}

function versionOf(line: string): number {
  const event = JSON.parse(line) as { object: { metadata: { resourceVersion: string } } }; // An event of a watch.
  return Number(event.object.metadata.resourceVersion);
}
