import { afterEach, beforeEach, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { createVirtualClock, type VirtualClock } from "@/server/kubernetes/clock";
import { type Connection, serverConnection } from "@/server/kubernetes/connection";
import { configMap, createStubServer, listOf, status, type StubServer } from "@/server/kubernetes/fixtures/stub-server";
import { until } from "@/server/testing/until";

let server: StubServer;
let client: KubernetesClient;
let clock: VirtualClock;

beforeEach(async () => {
  server = await createStubServer();
  clock = createVirtualClock();
  client = createClient({ connection: server.connection(), clock });
});

afterEach(async () => {
  await client.close();
  await server.stop();
});

const at = { namespace: "default", name: "a" };

test("requests share a connection", async () => {
  for (let turn = 0; turn < 5; turn++) {
    const got = client.get(apis.configMap, at);
    (await server.next()).json(200, configMap("a", turn));
    expect((await got).metadata.resourceVersion).toBe(String(turn));
  }
  // A second one may open while the first is still being handed back.
  expect(server.connections()).toBeLessThanOrEqual(2);
});

test.each([
  ["merge", "application/merge-patch+json", {}, {}],
  ["json", "application/json-patch+json", { dryRun: true }, { dryRun: "All" }],
  [
    "apply",
    "application/apply-patch+yaml",
    { force: true, fieldManager: "orrery" },
    { force: "true", fieldManager: "orrery" },
  ],
  ["strategic", "application/strategic-merge-patch+json", { subresource: "status" }, {}],
] as const)("a patch of type %s is sent as %s", async (type, contentType, options, query) => {
  const patched = client.patch(apis.configMap, at, { data: { x: "1" } }, { type, ...options });
  const request = await server.next();
  request.json(200, configMap("a", 2));
  await patched;
  expect(request.headers["content-type"]).toBe(contentType);
  expect(request.query).toEqual(query);
  expect(request.path.endsWith("/status")).toBe("subresource" in options);
});

test("a delete carries its preconditions", async () => {
  const deleted = client.delete(apis.configMap, at, {
    uid: "u",
    resourceVersion: "7",
    propagation: "Foreground",
    graceSeconds: 0,
  });
  const request = await server.next();
  request.json(200, status(200, ""));
  await deleted;
  expect(request.body).toMatchObject({
    preconditions: { uid: "u", resourceVersion: "7" },
    propagationPolicy: "Foreground",
    gracePeriodSeconds: 0,
  });
});

test("429 is obeyed: the same write comes again after the time that the server named", async () => {
  const created = client.create(apis.configMap, configMap("a", 1));
  (await server.next()).json(429, status(429, "TooManyRequests"), { "retry-after": "3" });
  await until("it waits", () => clock.nextInMs() === 3_000);
  await clock.advance(3_000);
  (await server.next()).json(201, configMap("a", 2));
  expect((await created).metadata.resourceVersion).toBe("2");
});

test("a caller that gives up while the server is throttling gets the refusal and sends nothing more", async () => {
  const stop = new AbortController();
  const got = client.get(apis.configMap, at, { signal: stop.signal });
  (await server.next()).json(429, status(429, "TooManyRequests", "slow down"));
  await until("it waits", () => clock.nextInMs() === 1_000);
  stop.abort();
  await expect(got).rejects.toMatchObject({ kind: "tooManyRequests", message: "slow down" });
  expect(clock.nextInMs()).toBeNull();
});

test("a guarded client asks before every write, and before each try of it, and lets reads pass", async () => {
  let isHeld = true;
  const guarded = client.guarded(() => {
    if (!isHeld) throw new Error("the lease has passed on");
    return undefined;
  });
  const created = guarded.create(apis.configMap, configMap("a", 1));
  (await server.next()).json(429, status(429, "TooManyRequests"));
  await until("it waits", () => clock.nextInMs() === 1_000);
  isHeld = false;
  const rejected = expect(created).rejects.toThrow("the lease has passed on");
  await clock.advance(1_000);
  await rejected;
  const got = guarded.get(apis.configMap, at);
  (await server.next()).json(200, configMap("a", 1));
  await got;
  expect(server.all).toHaveLength(2);
});

test("a write under way ends with the right to it", async () => {
  const right = new AbortController();
  const created = client.guarded(() => right.signal).create(apis.configMap, configMap("a", 1));
  const request = await server.next();
  right.abort(new Error("the lease has passed on"));
  await expect(created).rejects.toThrow("the lease has passed on");
  await until("the line is closed", () => request.isGone());
});

test.each([
  ["a conflict", 409, "Conflict", { kind: "conflict", outcome: "refused" }],
  ["one that exists", 409, "AlreadyExists", { kind: "alreadyExists", outcome: "refused" }],
  ["a timeout of the server, which may have written", 504, "Timeout", { kind: "timeout", outcome: "unknown" }],
  ["a failure of the server", 500, "InternalError", { kind: "internal", outcome: "unknown" }],
  ["an invalid object", 422, "Invalid", { kind: "invalid", outcome: "refused", message: "spec.x: Required value" }],
])("%s is told by kind and outcome", async (_name, code, reason, expected) => {
  const created = client.create(apis.configMap, configMap("a", 1));
  (await server.next()).json(code, status(code, reason, "spec.x: Required value"));
  await expect(created).rejects.toMatchObject({ code, reason, ...expected });
});

test("no answer within the time is a timeout with an unknown outcome, and the connection is closed", async () => {
  const created = client.create(apis.configMap, configMap("a", 1), { timeoutMs: 5_000 });
  const request = await server.next();
  const rejected = expect(created).rejects.toMatchObject({ kind: "timeout", outcome: "unknown" });
  await clock.advance(5_000);
  await rejected;
  await until("the request is gone", () => request.isGone());
});

test("a broken connection is an unknown outcome; a server that does not listen has surely done nothing", async () => {
  const created = client.create(apis.configMap, configMap("a", 1));
  (await server.next()).cut();
  await expect(created).rejects.toMatchObject({ kind: "network", outcome: "unknown" });
  const nowhere = createClient({ connection: serverConnection({ server: "http://127.0.0.1:1" }), clock });
  await expect(nowhere.create(apis.configMap, configMap("a", 1))).rejects.toMatchObject({
    kind: "network",
    outcome: "refused",
  });
  await nowhere.close();
});

test("what is no JSON is malformed, not a crash", async () => {
  const got = client.get(apis.configMap, at);
  (await server.next()).json(200, "a proxy speaks");
  await expect(got).rejects.toMatchObject({ kind: "malformed" });
});

test("a refused Secret is told without a word of what the server quoted", async () => {
  const created = client.create(apis.secret, { ...configMap("a", 1), kind: "Secret" });
  (await server.next()).json(
    422,
    status(422, "Invalid", 'data: "hunter2" is not base64', { causes: [{ message: "hunter2" }] }),
  );
  const error = await created.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind: "invalid", message: "422 Invalid" });
  expect(JSON.stringify([error, String(error)])).not.toContain("hunter2");
});

test("refused credentials are read afresh once", async () => {
  let token = "old";
  let forgotten = 0;
  const connection: Connection = {
    server: server.url,
    credentials: async () => ({ headers: { authorization: `Bearer ${token}` }, tls: {}, version: "1" }),
    forget: () => {
      forgotten++;
      token = "new";
    },
  };
  const renewing = createClient({ connection, clock });
  const listed = renewing.list(apis.configMap);
  const first = await server.next();
  first.json(401, status(401, "Unauthorized"));
  const second = await server.next();
  second.json(200, listOf(1));
  await listed;
  expect([first.headers.authorization, second.headers.authorization, forgotten]).toEqual([
    "Bearer old",
    "Bearer new",
    1,
  ]);
  const refused = renewing.list(apis.configMap);
  (await server.next()).json(401, status(401, "Unauthorized"));
  (await server.next()).json(401, status(401, "Unauthorized"));
  await expect(refused).rejects.toMatchObject({ kind: "unauthorized" });
  await renewing.close();
});

test("leaving the loop over a watch closes its line", async () => {
  const loop = (async () => {
    for await (const event of client.watch("/api/v1/configmaps", { signal: new AbortController().signal }))
      return event.object.metadata.name;
    return null;
  })();
  const watch = await server.next();
  watch.stream().event("ADDED", configMap("a", 1));
  expect(await loop).toBe("a");
  await until("the line is closed", () => watch.isGone());
});

test("a watch's error event is thrown after the events before it", async () => {
  const seen: string[] = [];
  const loop = (async () => {
    for await (const event of client.watch("/api/v1/configmaps", { signal: new AbortController().signal }))
      seen.push(event.object.metadata.name);
  })();
  const stream = (await server.next()).stream();
  stream.event("ADDED", configMap("a", 1));
  stream.event("ERROR", status(410, "Expired"));
  await expect(loop).rejects.toMatchObject({ kind: "gone" });
  expect(seen).toEqual(["a"]);
});
