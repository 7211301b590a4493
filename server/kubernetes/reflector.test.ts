import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { apis } from "@/server/kubernetes/apis";
import { createClient, type KubernetesClient } from "@/server/kubernetes/client";
import { createVirtualClock, type VirtualClock } from "@/server/kubernetes/clock";
import { configMap, createStubServer, listOf, status, type StubServer } from "@/server/kubernetes/fixtures/stub-server";
import { createReflector, type Reflector } from "@/server/kubernetes/reflector";
import { type Change, createStore } from "@/server/kubernetes/store";
import { until } from "@/server/testing/until";

let server: StubServer;
let client: KubernetesClient;
let clock: VirtualClock;
let store: ReturnType<typeof createStore>;
let reflector: Reflector;
let changes: string[];

beforeEach(async () => {
  server = await createStubServer();
  clock = createVirtualClock();
  client = createClient({ connection: server.connection(), clock });
  store = createStore();
  changes = [];
  store.subscribe((change) => void changes.push(told(change)));
  reflector = createReflector({ client, clock, store, api: apis.configMap, namespace: "default", random: () => 0 });
});

afterEach(async () => {
  await reflector.stop();
  await client.close();
  await server.stop();
});

const told = (change: Change) =>
  `${change.type} ${change.object.metadata.name}@${change.object.metadata.resourceVersion ?? ""}${"initial" in change && change.initial ? " initial" : ""}`;

const names = () => store.list().map((object) => object.metadata.name);

async function answerVersion(minor = "20") {
  const version = await server.next();
  expect(version.path).toBe("/version");
  version.json(200, { major: "1", minor });
}

/** Brings it to where it watches, with these objects. */
async function watching(resourceVersion: number, ...items: unknown[]) {
  reflector.start();
  await answerVersion();
  (await server.next()).json(200, listOf(resourceVersion, ...items));
  return server.next();
}

/** Lets the back-off pass: without jitter it is 0.8 s at first. */
async function nextAfterWait() {
  await until("it waits", () => reflector.state().phase === "waiting" && clock.nextInMs() !== null);
  await clock.advance(60_000);
  return server.next();
}

describe("list", () => {
  test("the first list asks for the newest, in pages, and the watch starts at its version with bookmarks", async () => {
    reflector.start();
    await answerVersion();
    const first = await server.next();
    expect(first.query).toEqual({ limit: "500" });
    first.json(200, { ...listOf(7, configMap("a", 5)), metadata: { resourceVersion: "7", continue: "token" } });
    const second = await server.next();
    expect(second.query).toEqual({ limit: "500", continue: "token" });
    expect(store.synced).toBe(false);
    second.json(200, listOf(7, configMap("b", 6)));
    const watch = await server.next();
    expect(watch.query).toEqual({
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: "7",
      timeoutSeconds: "300",
    });
    await reflector.synced();
    expect(changes).toEqual(["added a@5 initial", "added b@6 initial"]);
  });

  test("a page token that expired makes it ask for all in one answer", async () => {
    reflector.start();
    await answerVersion();
    (await server.next()).json(200, {
      ...listOf(7, configMap("a", 5)),
      metadata: { resourceVersion: "7", continue: "token" },
    });
    (await server.next()).json(410, status(410, "Expired"));
    const whole = await server.next();
    expect(whole.query).toEqual({});
    whole.json(200, listOf(9, configMap("b", 8)));
    await reflector.synced();
    expect(names()).toEqual(["b"]);
  });

  test("items without a kind get it, and managedFields are not kept", async () => {
    const { metadata, data } = configMap("a", 5, { managedFields: [{ manager: "kubectl" }] });
    const bare = { metadata, data };
    await watching(5, bare);
    expect(store.get({ namespace: "default", name: "a" })).toEqual(configMap("a", 5));
  });

  test("a failing list is tried again after a growing wait, and stays unsynced", async () => {
    reflector.start();
    await answerVersion();
    (await server.next()).json(500, status(500, "InternalError", "etcd is away"));
    await until("it waits", () => clock.nextInMs() === 800);
    expect(reflector.state().lastError).toBe("etcd is away");
    await clock.advance(800);
    (await server.next()).json(503, status(503, "ServiceUnavailable"));
    await until("it waits longer", () => clock.nextInMs() === 1_600);
    expect(store.synced).toBe(false);
  });

  test("Retry-After of the server is obeyed when it is longer than our own wait", async () => {
    reflector.start();
    await answerVersion();
    (await server.next()).json(503, status(503, "ServiceUnavailable"), { "retry-after": "20" });
    await until("it waits", () => clock.nextInMs() === 20_000);
  });
});

describe("watch", () => {
  test("events change the store in order, and deletes take objects out", async () => {
    const stream = (await watching(5, configMap("a", 5))).stream();
    stream.event("MODIFIED", configMap("a", 6));
    stream.event("ADDED", configMap("b", 7));
    stream.event("DELETED", configMap("a", 8));
    await until("all are taken", () => store.resourceVersion === "8");
    expect(changes).toEqual(["added a@5 initial", "updated a@6", "added b@7", "deleted a@6"]);
  });

  test("a bookmark advances the version without a change, and the next watch starts there", async () => {
    const stream = (await watching(5)).stream();
    stream.event("BOOKMARK", { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: "90" } });
    await until("the bookmark is taken", () => store.resourceVersion === "90");
    stream.end();
    expect((await server.next()).query.resourceVersion).toBe("90");
    expect(changes).toEqual([]);
  });

  test("a repeated or older event is left out", async () => {
    const stream = (await watching(5, configMap("a", 5))).stream();
    stream.event("MODIFIED", configMap("a", 9));
    stream.event("MODIFIED", configMap("a", 7));
    stream.event("MODIFIED", configMap("a", 9));
    stream.event("DELETED", configMap("a", 8));
    stream.event("ADDED", configMap("b", 10));
    await until("all are read", () => store.resourceVersion === "10");
    expect(changes).toEqual(["added a@5 initial", "updated a@9", "added b@10"]);
    expect(reflector.state().refused).toBe(3);
  });

  test("an object deleted and created again between two events is told as a delete and an add", async () => {
    const stream = (await watching(5, configMap("a", 5))).stream();
    stream.event("MODIFIED", configMap("a", 9, { uid: "another" }));
    await until("it is taken", () => store.resourceVersion === "9");
    expect(changes.slice(1)).toEqual(["deleted a@5", "added a@9"]);
  });

  test("a line cut into pieces, other line ends inside a string, and 1.5 MB in one line are one event each", async () => {
    const stream = (await watching(5)).stream();
    const odd = { ...configMap("odd", 6), data: { text: "one\u2028two\u2029é" } };
    for (const piece of JSON.stringify({ type: "ADDED", object: odd }).match(/[\s\S]{1,7}/g) ?? []) stream.raw(piece);
    stream.raw("\n");
    stream.event("ADDED", { ...configMap("huge", 7), data: { text: "x".repeat(1_500_000) } });
    await until("both are taken", () => store.size === 2);
    expect(store.get({ namespace: "default", name: "odd" })).toEqual(odd);
  });

  test("a broken line is opened again at once where it was left", async () => {
    const stream = (await watching(5)).stream();
    stream.event("ADDED", configMap("a", 6));
    await until("it is taken", () => store.size === 1);
    stream.cut();
    const again = await server.next();
    expect(again.query).toMatchObject({ watch: "true", resourceVersion: "6" });
    expect(clock.monotonic()).toBe(0);
  });

  test("half an event at the end of a broken line is not taken", async () => {
    const stream = (await watching(5)).stream();
    stream.event("ADDED", configMap("a", 6));
    stream.raw('{"type":"DELETED","object":{"metadata":{"name":"a"');
    await until("the whole one is taken", () => store.size === 1);
    stream.end();
    await server.next();
    expect(names()).toEqual(["a"]);
  });

  test("a watch that ends at once without an event waits before the next", async () => {
    (await watching(5)).stream().end();
    await until("it waits", () => reflector.state().phase === "waiting");
    expect(reflector.state().lastError).toContain("ended at once");
    expect((await nextAfterWait()).query).toMatchObject({ watch: "true", resourceVersion: "5" });
  });

  test.each([
    ["429", 429, "TooManyRequests"],
    ["503", 503, "ServiceUnavailable"],
    ["500", 500, "InternalError"],
  ])("a watch refused with %s is tried again without a list", async (_name, code, reason) => {
    (await watching(5)).json(code, status(code, reason));
    expect((await nextAfterWait()).query).toMatchObject({ watch: "true", resourceVersion: "5" });
    expect(reflector.state().lists).toBe(1);
  });

  test("a watch that is answered with 500 for two minutes is given up for a list", async () => {
    const refused = status(500, "InternalError");
    let watch = await watching(5);
    for (let tries = 0; watch.query.watch !== undefined && tries < 20; tries++) {
      watch.json(500, refused);
      watch = await nextAfterWait();
    }
    expect(watch.query).toEqual({ resourceVersion: "5" });
  });

  test("a 500 long after the last one is a new one", async () => {
    let watch = await watching(5);
    for (let version = 6; version < 10; version++) {
      watch.json(500, status(500, "InternalError"));
      const open = (await nextAfterWait()).stream();
      open.event("ADDED", configMap("a", version));
      await until("the event is in", () => store.resourceVersion === String(version));
      open.end();
      watch = await server.next();
      await clock.advance(60_000);
    }
    expect(reflector.state().lists).toBe(1);
  });

  test.each(["as a status", "as an event"])(
    "410 %s leads to a list that is not older than what was seen",
    async (way) => {
      const watch = await watching(5, configMap("a", 4), configMap("b", 5));
      if (way === "as a status") watch.json(410, status(410, "Expired"));
      else watch.stream().event("ERROR", status(410, "Expired", "too old resource version"));
      const relist = await nextAfterWait();
      expect(relist.query).toEqual({ resourceVersion: "5" });
      relist.json(200, listOf(20, configMap("b", 12), configMap("c", 13)));
      expect((await server.next()).query).toMatchObject({ watch: "true", resourceVersion: "20" });
      expect(changes.slice(2)).toEqual(["updated b@12", "added c@13", "deleted a@4"]);
    },
  );

  test("a version that the server has not reached yet, or has forgotten, makes the relist ask for the newest", async () => {
    (await watching(5)).json(410, status(410, "Expired"));
    const relist = await nextAfterWait();
    relist.json(504, status(504, "Timeout", "Too large resource version: 5, current: 3"));
    expect((await server.next()).query).toEqual({ limit: "500" });
  });

  test("garbage on the line leads to a list after a wait", async () => {
    const stream = (await watching(5)).stream();
    stream.event("ADDED", configMap("a", 6));
    stream.raw("<html>a proxy speaks</html>\n");
    const relist = await nextAfterWait();
    expect(relist.query).toEqual({ resourceVersion: "6" });
    expect(reflector.state().lastError).toContain("no JSON");
  });

  test("a list older than what was seen is refused, until the newest-possible one is older for the fourth time", async () => {
    (await watching(50, configMap("a", 50))).json(410, status(410, "Expired"));
    const relist = await nextAfterWait();
    relist.json(200, listOf(40, configMap("old", 40)));
    for (let tries = 0; tries < 3; tries++) {
      (await nextAfterWait()).json(410, status(410, "Expired"));
      (await server.next()).json(200, listOf(40, configMap("old", 40)));
      expect(names()).toEqual(["a"]);
    }
    (await nextAfterWait()).json(410, status(410, "Expired"));
    (await server.next()).json(200, listOf(40, configMap("old", 40)));
    await until("it takes the restored world", () => names().includes("old"));
    expect(store.resourceVersion).toBe("40");
  });

  test("a listener that throws ends nothing", async () => {
    const errors: unknown[] = [];
    const guarded = createStore({ onError: (error) => errors.push(error) });
    guarded.subscribe(() => {
      throw new Error("listener");
    });
    guarded.replace([configMap("a", 5)], "5");
    expect(guarded.synced).toBe(true);
    expect(errors).toEqual([new Error("listener")]);
  });
});

describe("silence", () => {
  test("after 70 s without a bookmark on a line that had one, the watch is opened again at the newest version", async () => {
    const watch = await watching(5);
    watch.stream().event("BOOKMARK", { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: "9" } });
    await until("the bookmark is taken", () => store.resourceVersion === "9");
    await clock.advance(69_999);
    expect(server.pending()).toBe(0);
    await clock.advance(1);
    expect((await server.next()).query.resourceVersion).toBe("9");
    await until("the old line is closed", () => watch.isGone());
    expect(reflector.state()).toMatchObject({ lists: 1, stalls: 1 });
  });

  test("a server that never sends bookmarks is given twice the time after each silence", async () => {
    (await watching(5)).stream();
    for (const silence of [70_000, 140_000, 280_000, 560_000, 600_000, 600_000]) {
      await clock.advance(silence - 1);
      expect(server.pending()).toBe(0);
      await clock.advance(1);
      (await server.next()).stream();
    }
    expect(reflector.state().lists).toBe(1);
  });

  test("a healthy quiet watch with a bookmark every 61 s is never opened again before its end", async () => {
    const stream = (await watching(5)).stream();
    for (let minute = 1; minute <= 9; minute++) {
      await clock.advance(61_000);
      stream.event("BOOKMARK", {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { resourceVersion: String(5 + minute) },
      });
      await until("the bookmark is taken", () => store.resourceVersion === String(5 + minute));
    }
    expect(reflector.state()).toMatchObject({ watches: 1, stalls: 0 });
  });
});

describe("streamed lists", () => {
  const end = (resourceVersion: number) => ({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { resourceVersion: String(resourceVersion), annotations: { "k8s.io/initial-events-end": "true" } },
  });

  test("where the server offers it, the world comes as events and is shown when it is whole; the stream goes on as the watch", async () => {
    reflector.start();
    await answerVersion("32");
    const watch = await server.next();
    expect(watch.query).toMatchObject({
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: "true",
    });
    const stream = watch.stream();
    stream.event("ADDED", configMap("b", 9));
    stream.event("ADDED", configMap("a", 5));
    await until("they are read", () => reflector.state().events === 2);
    expect(store.size).toBe(0);
    stream.event("BOOKMARK", end(9));
    await reflector.synced();
    expect(changes).toEqual(["added b@9 initial", "added a@5 initial"]);
    stream.event("MODIFIED", configMap("a", 10));
    await until("it is taken", () => store.resourceVersion === "10");
    stream.cut();
    expect((await server.next()).query).not.toHaveProperty("sendInitialEvents");
    expect(reflector.state().lists).toBe(0);
  });

  test("a server that refuses is asked for a list instead, and not asked again", async () => {
    reflector.start();
    await answerVersion("27");
    (await server.next()).json(422, status(422, "Invalid", "sendInitialEvents is forbidden for watch"));
    const list = await server.next();
    expect(list.query).toEqual({ limit: "500" });
    list.json(200, listOf(5));
    (await server.next()).json(410, status(410, "Expired"));
    expect((await nextAfterWait()).query).toEqual({ resourceVersion: "5" });
  });

  test("a stream that ends before the world is whole shows nothing, and a plain list follows after a wait", async () => {
    reflector.start();
    await answerVersion("32");
    const stream = (await server.next()).stream();
    stream.event("ADDED", configMap("a", 5));
    await until("it is read", () => reflector.state().events === 1);
    stream.end();
    const list = await nextAfterWait();
    expect(list.query).toEqual({ limit: "500" });
    expect(store.size).toBe(0);
  });
});

describe("stop", () => {
  test("during a list it leaves neither a watch nor a connection that waits", async () => {
    reflector.start();
    await answerVersion();
    const list = await server.next();
    const stopped = reflector.stop();
    await stopped;
    await expect(reflector.synced()).rejects.toThrow("stopped before it was filled");
    await until("the request is gone", () => list.isGone());
    expect(server.all).toHaveLength(2);
    expect(clock.nextInMs()).toBeNull();
  });

  test("during a watch it closes the line, and a second start does nothing", async () => {
    const watch = await watching(5);
    watch.stream();
    await reflector.stop();
    await until("the line is closed", () => watch.isGone());
    reflector.start();
    await clock.advance(600_000);
    expect(server.pending()).toBe(0);
    expect(clock.nextInMs()).toBeNull();
  });

  test("during a wait it ends at once", async () => {
    (await watching(5)).json(500, status(500, "InternalError"));
    await until("it waits", () => reflector.state().phase === "waiting");
    await reflector.stop();
    expect(clock.nextInMs()).toBeNull();
  });

  test("a second start while it runs opens no second watch", async () => {
    (await watching(5)).stream();
    reflector.start();
    await clock.advance(10_000);
    expect(server.pending()).toBe(0);
  });
});
