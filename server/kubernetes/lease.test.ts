import { afterEach, beforeEach, expect, test } from "vitest";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { createVirtualClock, type VirtualClock } from "@/server/kubernetes/clock";
import { createStubServer, status, type StubRequest, type StubServer } from "@/server/kubernetes/fixtures/stub-server";
import { createLease, type Lease } from "@/server/kubernetes/lease";
import { until } from "@/server/testing/until";

let server: StubServer;
let client: KubernetesClient;
let clock: VirtualClock;
let lease: Lease;
let changes: boolean[];

beforeEach(async () => {
  server = await createStubServer();
  clock = createVirtualClock();
  client = createClient({ connection: server.connection(), clock });
  lease = createLease({ client, clock, namespace: "orrery", name: "worker", identity: "me", random: () => 0 });
  changes = [];
  lease.onChange((held) => changes.push(held));
});

afterEach(async () => {
  await lease.stop({ abandon: true });
  await client.close();
  await server.stop();
});

const record = (holder: string, resourceVersion: number, more: Record<string, unknown> = {}) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace: "orrery", name: "worker", uid: "u", resourceVersion: String(resourceVersion) },
  spec: {
    holderIdentity: holder,
    leaseDurationSeconds: 15,
    leaseTransitions: 3,
    acquireTime: "2020-01-01T00:00:00.000000Z",
    ...more,
  },
});

const isWrite = (request: StubRequest) => request.method === "PUT" || request.method === "POST";

/** Requests come in no fixed order from the watch and from the election: the next one that fits. */
async function next(fits: (request: StubRequest) => boolean): Promise<StubRequest> {
  const request = await server.next();
  if (fits(request)) return request;
  const found = await next(fits);
  kept.push(request);
  return found;
}
const kept: StubRequest[] = [];

/** Answers version, list and the first GET, and gives the stream of the watch. */
async function meet(current: ReturnType<typeof record> | null) {
  lease.start();
  let stream: ReturnType<StubRequest["stream"]> | null = null;
  let first: StubRequest | null = null;
  while (!stream || (!current && !first)) {
    const request = await server.next();
    if (request.path === "/version") request.json(200, { major: "1", minor: "20" });
    else if (request.query.watch) stream = request.stream();
    else if (isWrite(request)) first = request;
    else if (request.path.endsWith("/worker")) {
      if (current) request.json(200, current);
      else request.json(404, status(404, "NotFound"));
    } else {
      expect(request.query.fieldSelector).toBe("metadata.name=worker");
      request.json(200, { kind: "LeaseList", metadata: { resourceVersion: "10" }, items: current ? [current] : [] });
    }
  }
  return { stream, first };
}

/** Wins a lease that nobody holds. */
async function lead() {
  const { stream, first } = await meet(null);
  if (!first) throw new Error("no write came");
  first.json(201, record("me", 11, { leaseTransitions: 0 }));
  await until("it is held", () => lease.isHeld());
  return { stream, first };
}

test("a lease that does not exist is created and held; the body is what the server takes", async () => {
  const { first } = await lead();
  expect(first.method).toBe("POST");
  expect(first.body).toMatchObject({
    spec: {
      holderIdentity: "me",
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      renewTime: "2020-01-01T00:00:00.000000Z",
    },
  });
  expect([lease.token, changes]).toEqual([0, [true]]);
});

test("a held lease is renewed every 2 s at its known version, without a read", async () => {
  await lead();
  for (let turn = 1; turn <= 3; turn++) {
    await clock.advance(2_000);
    const renewal = await server.next();
    expect([renewal.method, renewal.body]).toMatchObject(["PUT", { metadata: { resourceVersion: String(10 + turn) } }]);
    renewal.json(200, record("me", 11 + turn, { leaseTransitions: 0 }));
    await until("it is answered", () => clock.nextInMs() === 2_000);
  }
  expect(changes).toEqual([true]);
});

test("without an answer it may not write 10 s after the last renewal was sent, whatever the timers do", async () => {
  await lead();
  await clock.advance(10_000);
  expect(lease.isHeld()).toBe(true);
  await clock.advance(1);
  expect(lease.isHeld()).toBe(false);
  expect(changes).toEqual([true, false]);
});

test("the time counts from before the request: a slow answer shortens the right to write", async () => {
  await lead();
  await clock.advance(2_000);
  const slow = await server.next();
  await clock.advance(4_000);
  slow.json(200, record("me", 12, { leaseTransitions: 0 }));
  await until("it is answered", () => clock.nextInMs() === 2_000);
  await clock.advance(2_000);
  await server.next();
  await clock.advance(4_000);
  expect(lease.isHeld()).toBe(true);
  await clock.advance(1);
  expect(lease.isHeld()).toBe(false);
});

test("another holder is left alone until its record has been silent for its duration, then taken over with the next token", async () => {
  const { stream } = await meet(record("other", 10));
  await until("it waits for the expiry", () => clock.nextInMs() !== null && server.pending() === 0);
  await clock.advance(14_000);
  stream.event("MODIFIED", record("other", 20));
  await until("the renewal is seen", () => lease.holder() === "other" && (clock.nextInMs() ?? 0) > 14_000);
  await clock.advance(14_999);
  expect(server.all.filter(isWrite)).toEqual([]);
  await clock.advance(1);
  const takeover = await next(isWrite);
  expect(takeover.body).toMatchObject({
    metadata: { resourceVersion: "20" },
    spec: { holderIdentity: "me", leaseTransitions: 4 },
  });
  takeover.json(200, record("me", 21, { leaseTransitions: 4 }));
  await until("it is held", () => lease.isHeld());
  expect(lease.token).toBe(4);
});

test("a release is taken over when it is seen, with no time passing", async () => {
  const { stream } = await meet(record("other", 10));
  await until("it waits for the expiry", () => clock.nextInMs() !== null && server.pending() === 0);
  stream.event("MODIFIED", record("", 20, { leaseDurationSeconds: 1 }));
  const takeover = await next(isWrite);
  takeover.json(200, record("me", 21, { leaseTransitions: 4 }));
  await until("it is held", () => lease.isHeld());
  expect(clock.monotonic()).toBe(0);
});

test("a lost race for a released lease makes it wait for the winner", async () => {
  const { stream } = await meet(record("other", 10));
  await until("it waits for the expiry", () => clock.nextInMs() !== null && server.pending() === 0);
  stream.event("MODIFIED", record("", 20));
  (await next(isWrite)).json(409, status(409, "Conflict"));
  (await next((request) => request.path.endsWith("/worker"))).json(200, record("third", 22));
  await until("it waits again", () => lease.holder() === "third");
  await clock.advance(14_999);
  expect(server.all.filter(isWrite)).toHaveLength(1);
  expect(changes).toEqual([]);
});

test("somebody else's name in the record ends the lease at once", async () => {
  const { stream } = await lead();
  stream.event("MODIFIED", record("other", 30));
  await until("it is lost", () => !lease.isHeld());
  expect(changes).toEqual([true, false]);
});

test("a lease that is deleted is made again with a larger token, which no older writer has", async () => {
  const { stream } = await meet(record("other", 10));
  await until("it waits for the expiry", () => clock.nextInMs() !== null && server.pending() === 0);
  stream.event("DELETED", record("other", 20));
  const made = await next(isWrite);
  expect([made.method, made.body]).toMatchObject(["POST", { spec: { leaseTransitions: 4 } }]);
});

test("a new lease counts on from the largest token that anybody has written with", async () => {
  lease = createLease({ client, clock, namespace: "orrery", name: "worker", identity: "me", tokenAfter: 7 });
  const { first } = await meet(null);
  expect(first?.body).toMatchObject({ spec: { leaseTransitions: 8 } });
});

test("a renewal whose answer was lost is recognised as ours", async () => {
  await lead();
  await clock.advance(2_000);
  (await server.next()).cut();
  await until("it waits", () => clock.nextInMs() === 2_000);
  await clock.advance(2_000);
  (await next(isWrite)).json(409, status(409, "Conflict"));
  (await next((request) => request.path.endsWith("/worker"))).json(200, record("me", 12, { leaseTransitions: 0 }));
  const again = await next(isWrite);
  expect(again.body).toMatchObject({ metadata: { resourceVersion: "12" } });
  again.json(200, record("me", 13, { leaseTransitions: 0 }));
  expect(changes).toEqual([true]);
});

test("a renewal that hangs is given up in time for another one", async () => {
  await lead();
  await clock.advance(2_000);
  await server.next();
  await clock.advance(5_000);
  await until("it waits", () => clock.nextInMs() === 2_000);
  await clock.advance(2_000);
  (await next(isWrite)).json(200, record("me", 12, { leaseTransitions: 0 }));
  await until("it is answered", () => clock.nextInMs() === 2_000);
  await clock.advance(2_000);
  expect(lease.isHeld()).toBe(true);
  expect(changes).toEqual([true]);
});

test("a release that lost a race is tried again on what is there", async () => {
  await lead();
  const stopped = lease.stop();
  (await next(isWrite)).json(409, status(409, "Conflict"));
  (await next((request) => request.path.endsWith("/worker"))).json(200, record("me", 15, { leaseTransitions: 0 }));
  const again = await next(isWrite);
  expect(again.body).toMatchObject({ metadata: { resourceVersion: "15" }, spec: { holderIdentity: "" } });
  again.json(200, record("", 16));
  await stopped;
});

test("who has taken the lease meanwhile keeps it over our release", async () => {
  await lead();
  const stopped = lease.stop();
  (await next(isWrite)).json(409, status(409, "Conflict"));
  (await next((request) => request.path.endsWith("/worker"))).json(200, record("other", 15));
  await stopped;
  expect(server.all.filter(isWrite)).toHaveLength(2);
});

test("stop gives the lease back, and writes are over before that", async () => {
  await lead();
  const stopped = lease.stop();
  expect(lease.isHeld()).toBe(false);
  const release = await next(isWrite);
  expect(release.body).toMatchObject({ spec: { holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 0 } });
  release.json(200, record("", 12));
  await stopped;
  expect(clock.nextInMs()).toBeNull();
});

test("an abandoned lease is left to expire", async () => {
  await lead();
  await lease.stop({ abandon: true });
  expect(server.all.filter(isWrite)).toHaveLength(1);
});
