import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { clientOver, createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { createVirtualClock, systemClock } from "@/server/kubernetes/clock";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { createTransport } from "@/server/kubernetes/transport";
import { createSandbox, type Sandbox } from "@/server/sandbox/sandbox";
import { until } from "@/server/testing/until";
import { liveOver } from "./live-world";
import { warningsAbout } from "./warnings-about";
import { type LiveWorld } from "./world";

const namespace = "default";
let sandbox: Sandbox;
let client: KubernetesClient;
let live: LiveWorld;
let asking: KubernetesClient;
/** The field selectors of the questions that were sent, in their order. */
let questions: string[];
/** While set, an answer that the server has given is kept from who asked. */
let held: Promise<void> | null;
let told = 0;

beforeAll(async () => {
  sandbox = await createSandbox({ controllers: false });
  client = createClient({ connection: sandbox.connection(), clock: systemClock });
});
afterAll(async () => {
  await client.close();
  await sandbox.stop();
});

beforeEach(() => {
  const transport = createTransport(sandbox.connection(), { clock: systemClock });
  questions = [];
  held = null;
  asking = clientOver(
    {
      ...transport,
      send: async (request) => {
        questions.push(new URL(request.path, sandbox.url).searchParams.get("fieldSelector") ?? "");
        const kept = held;
        const answer = await transport.send(request);
        await kept;
        return answer;
      },
    },
    systemClock,
  );
  live = liveOver(asking, systemClock);
});
afterEach(() => asking.close());

const about = (uid: string, kind = "StatefulSet"): KubernetesObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { namespace, name: uid, uid },
});
const ask = async (object: KubernetesObject) =>
  (await warningsAbout(live, object)).map(({ message }) => message as string).sort();
const byUid = (uid: string) => `involvedObject.uid=${uid},type=Warning`;
const ofAll = "involvedObject.kind=StatefulSet,type=Warning";

async function warn(uid: string, message: string, type = "Warning") {
  const { apiVersion, kind, metadata } = about(uid);
  await client.create(apis.event, {
    apiVersion: "v1",
    kind: "Event",
    metadata: { namespace, name: `warning-${(told += 1)}` },
    involvedObject: { apiVersion, kind, namespace, name: metadata.name, uid },
    type,
    reason: "FailedCreate",
    message,
  });
}

/** Keeps the answers to what is asked from now on, until the function that it gives is called. */
function hold(): () => void {
  let letGo = () => {};
  held = new Promise((resolve) => (letGo = resolve));
  return letGo;
}

test("who asks alone asks by uid and type, each time anew", async () => {
  await warn("alone", "first");
  await warn("alone", "all is well", "Normal");
  expect(await ask(about("alone"))).toEqual(["first"]);
  await warn("alone", "second");
  expect(await ask(about("alone"))).toEqual(["first", "second"]);
  expect(questions).toEqual([byUid("alone"), byUid("alone")]);
});

describe("while a question is under way", () => {
  test("those who come share the next one, and each hears of its own object only", async () => {
    await Promise.all(["a", "b", "c"].map((uid) => warn(uid, `about ${uid}`)));
    const letGo = hold();
    const first = ask(about("a"));
    const others = ["b", "c", "none"].map((uid) => ask(about(uid)));
    await until("the first question is sent", () => questions.length === 1);
    held = null;
    letGo();
    expect(await first).toEqual(["about a"]);
    expect(await Promise.all(others)).toEqual([["about b"], ["about c"], []]);
    expect(questions).toEqual([byUid("a"), ofAll]);
  });

  test("one who comes, or several about the same object, ask by its uid", async () => {
    const letGo = hold();
    const first = ask(about("a"));
    const others = [ask(about("b")), ask(about("b"))];
    held = null;
    letGo();
    await first;
    expect(await Promise.all(others)).toEqual([["about b"], ["about b"]]);
    expect(questions).toEqual([byUid("a"), byUid("b")]);
  });

  test("what it finds is no answer to who came later, even about the same object", async () => {
    const letGo = hold();
    const first = ask(about("late"));
    await until("the first question is sent", () => questions.length === 1);
    await warn("late", "happened meanwhile");
    const second = ask(about("late"));
    held = null;
    letGo();
    await first;
    expect(await second).toEqual(["happened meanwhile"]);
    expect(questions).toHaveLength(2);
  });

  test("other kinds and other namespaces are not kept waiting", async () => {
    const letGo = hold();
    const first = ask(about("a"));
    held = null;
    await ask(about("a", "Pod"));
    await ask({ ...about("a"), metadata: { ...about("a").metadata, namespace: "kube-system" } });
    letGo();
    await first;
    expect(questions).toHaveLength(3);
  });
});

test("a question that fails is told to whom it was asked for; the next one is asked", async () => {
  const up = live;
  let down = true;
  live = {
    ...up,
    list: (...asked) => (down ? Promise.reject(new Error("the API server is down")) : up.list(...asked)),
  };
  const first = expect(ask(about("a"))).rejects.toThrow("the API server is down");
  const second = ask(about("b"));
  down = false;
  await first;
  expect(await second).toEqual(["about b"]);
  expect(await ask(about("a"))).toEqual(["about a"]);
});

test("a question without an answer is given up after a while", async () => {
  const clock = createVirtualClock();
  const transport = createTransport(sandbox.connection(), { clock });
  const silent = clientOver(
    { ...transport, send: (request) => transport.send({ ...request, path: `${request.path}&watch=true` }) },
    clock,
  );
  const answer = expect(warningsAbout(liveOver(silent, clock), about("a"))).rejects.toMatchObject({ kind: "timeout" });
  await until("the question is under way", () => clock.nextInMs() !== null);
  await clock.advance(10_000);
  await answer;
  await silent.close();
});
