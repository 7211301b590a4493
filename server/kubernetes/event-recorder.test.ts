import { afterEach, beforeEach, expect, test } from "vitest";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { createVirtualClock, type VirtualClock } from "@/server/kubernetes/clock";
import { createEventRecorder, type EventRecorder } from "@/server/kubernetes/event-recorder";
import { createStubServer, status, type StubServer } from "@/server/kubernetes/fixtures/stub-server";
import { until } from "@/server/testing/until";

let server: StubServer;
let client: KubernetesClient;
let clock: VirtualClock;
let recorder: EventRecorder;

beforeEach(async () => {
  server = await createStubServer();
  clock = createVirtualClock();
  client = createClient({ connection: server.connection(), clock });
  recorder = createEventRecorder({ client, clock, component: "orrery", instance: "worker-1" });
});

afterEach(async () => {
  await recorder.stop();
  await client.close();
  await server.stop();
});

const about = { apiVersion: "v1", kind: "Widget", namespace: "default", name: "w", uid: "u" };
const say = (message: string, name = "w") =>
  recorder.record({ about: { ...about, name }, severity: "Normal", reason: "Moved", message });

async function answerNext() {
  const request = await server.next();
  request.json(request.method === "POST" ? 201 : 200, { kind: "Event", metadata: { name: "e" } });
  return request;
}

test("a first occurrence is created, the same again is counted", async () => {
  say("to stable");
  const created = await answerNext();
  expect([created.method, created.path]).toEqual(["POST", "/api/v1/namespaces/default/events"]);
  expect(created.body).toMatchObject({
    involvedObject: about,
    reason: "Moved",
    message: "to stable",
    count: 1,
    reportingInstance: "worker-1",
  });
  await clock.advance(60_000);
  say("to stable");
  const counted = await answerNext();
  expect([counted.method, counted.body]).toMatchObject(["PATCH", { count: 2, lastTimestamp: "2020-01-01T00:01:00Z" }]);
  expect(counted.path.startsWith("/api/v1/namespaces/default/events/w.")).toBe(true);
  await recorder.drain();
  expect(recorder.state()).toEqual({ written: 2, dropped: 0, spam: 0, waiting: 0 });
});

test("an event that the server has forgotten is created anew with its count", async () => {
  say("to stable");
  await answerNext();
  say("to stable");
  (await server.next()).json(404, status(404, "NotFound"));
  expect((await answerNext()).body).toMatchObject({ count: 2 });
});

test("the tenth different message of one reason starts a combined event", async () => {
  for (let turn = 1; turn <= 12; turn++) say(`message ${turn}`);
  const methods: string[] = [];
  for (let turn = 1; turn <= 12; turn++) {
    const { method, body } = await answerNext();
    methods.push(method);
    if (turn >= 10) expect(body).toMatchObject({ message: `(combined from similar events): message ${turn}` });
  }
  expect(methods.join()).toBe([...Array<string>(10).fill("POST"), "PATCH", "PATCH"].join());
});

test("more than 25 at once about one object are left out, another object is not; one more is let in after five minutes", async () => {
  for (let turn = 1; turn <= 30; turn++) say("again");
  say("again", "other");
  for (let turn = 1; turn <= 26; turn++) await answerNext();
  await recorder.drain();
  expect(recorder.state()).toMatchObject({ written: 26, spam: 5 });
  await clock.advance(300_000);
  say("again");
  say("again");
  // The five that were left out have happened all the same.
  expect((await answerNext()).body).toMatchObject({ count: 31 });
  await recorder.drain();
  expect(recorder.state()).toMatchObject({ written: 27, spam: 6 });
});

test("nothing waits for a server that is away: what does not fit is dropped and counted", async () => {
  for (let turn = 1; turn <= 1_500; turn++) say("x", `w${turn}`);
  expect(recorder.state()).toMatchObject({ dropped: 499, waiting: 1_000 });
  (await server.next()).json(503, status(503, "ServiceUnavailable"));
  await until("it waits for the server", () => clock.nextInMs() === 10_000);
  await recorder.stop();
  expect(recorder.state()).toMatchObject({ dropped: 1_500, waiting: 0, written: 0 });
  expect(clock.nextInMs()).toBeNull();
});

test("a failure is tried again with the same name, so that an answer which was lost makes no second event", async () => {
  say("to stable");
  const first = await server.next();
  first.json(503, status(503, "ServiceUnavailable"));
  await until("it waits", () => clock.nextInMs() === 10_000);
  await clock.advance(10_000);
  const second = await server.next();
  second.json(409, status(409, "AlreadyExists"));
  await recorder.drain();
  expect((second.body as typeof about & { metadata: unknown }).metadata).toEqual(
    (first.body as { metadata: unknown }).metadata,
  );
  expect(recorder.state()).toMatchObject({ written: 1, dropped: 0 });
});
