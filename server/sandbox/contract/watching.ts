import { expect } from "vitest";
import { systemClock } from "@/server/kubernetes/clock";
import { createClient } from "@/server/kubernetes/client";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { topic } from "@/server/sandbox/contract/contract-case";
import { configMap, configMapsIn, created } from "@/server/sandbox/contract/samples";
import { type Target } from "@/server/sandbox/contract/target";

type Seen = { type: string; object: KubernetesObject };

export const watchingContract = topic("watches", (promises) => {
  promises("a watch from a version tells what happened since, in order", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${configMapsIn(ns)}/a`;
    const { metadata } = await created(target, configMapsIn(ns), configMap("a", { n: "0" }));
    await target.send("PATCH", path, { body: { data: { n: "1" } } });
    await target.send("PATCH", path, { body: { data: { n: "2" } } });
    await target.send("DELETE", path);
    const events = await watched(
      target,
      configMapsIn(ns),
      { resourceVersion: String(metadata.resourceVersion), fieldSelector: "metadata.name=a" },
      3,
    );
    expect(events.map(({ type, object }) => [type, object["data"]])).toEqual([
      ["MODIFIED", { n: "1" }],
      ["MODIFIED", { n: "2" }],
      ["DELETED", { n: "2" }],
    ]);
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect([...versions].sort((a, b) => a - b)).toEqual(versions);
    expect(versions[2]).toBeGreaterThan(versions[1] ?? 0);
  });

  promises("a watch without a version begins with what is there", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a", {}, { labels: { mine: "yes" } }));
    await created(target, configMapsIn(ns), configMap("b", {}, { labels: { mine: "yes" } }));
    const events = await watched(target, configMapsIn(ns), { labelSelector: "mine=yes" }, 2);
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`).sort()).toEqual(["ADDED a", "ADDED b"]);
    expect(events[0]?.object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
  });

  promises("an object that leaves the selection looks deleted, one that enters it looks new", async (target) => {
    const ns = await target.bareNamespace();
    const path = `${configMapsIn(ns)}/a`;
    const { metadata } = await created(target, configMapsIn(ns), configMap("a", { n: "0" }, { labels: { in: "yes" } }));
    await target.send("PATCH", path, { body: { data: { n: "1" } } });
    await target.send("PATCH", path, { body: { metadata: { labels: { in: "no" } } } });
    await target.send("PATCH", path, { body: { data: { n: "2" } } });
    await target.send("PATCH", path, { body: { metadata: { labels: { in: "yes" } } } });
    const events = await watched(
      target,
      configMapsIn(ns),
      { resourceVersion: String(metadata.resourceVersion), labelSelector: "in=yes" },
      3,
    );
    expect(events.map(({ type, object }) => [type, object["data"], object.metadata.labels])).toEqual([
      ["MODIFIED", { n: "1" }, { in: "yes" }],
      ["DELETED", { n: "1" }, { in: "yes" }],
      ["ADDED", { n: "2" }, { in: "yes" }],
    ]);
  });

  promises("one object can be watched by its name", async (target) => {
    const ns = await target.bareNamespace();
    const { metadata } = await created(target, configMapsIn(ns), configMap("a"));
    await created(target, configMapsIn(ns), configMap("b"));
    await target.send("PATCH", `${configMapsIn(ns)}/a`, { body: { data: { n: "1" } } });
    const events = await watched(
      target,
      configMapsIn(ns),
      { resourceVersion: String(metadata.resourceVersion), fieldSelector: "metadata.name=a" },
      1,
    );
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(["MODIFIED a"]);
  });

  promises("a watch over all namespaces sees each of them", async (target) => {
    const [one, two] = [await target.bareNamespace(), await target.bareNamespace()];
    const { metadata } = await created(target, configMapsIn(one), configMap("first", {}, { labels: { over: one } }));
    await created(target, configMapsIn(two), configMap("second", {}, { labels: { over: one } }));
    const events = await watched(
      target,
      "/api/v1/configmaps",
      { resourceVersion: String(metadata.resourceVersion), labelSelector: `over=${one}` },
      1,
    );
    expect(events[0]?.object.metadata).toMatchObject({ namespace: two, name: "second" });
  });

  promises("a watch from a version that is long gone is told so inside the stream", async (target) => {
    const ns = await target.bareNamespace();
    const { status, text } = await target.send(
      "GET",
      `${configMapsIn(ns)}?watch=true&resourceVersion=1&timeoutSeconds=1`,
    );
    expect(status).toBe(200);
    const [first = ""] = text.trim().split("\n");
    // A server that is young still has it: then only what is there now is told, and that is right too.
    if (!first.includes('"ERROR"')) {
      expect(first).toMatch(/^$|"type":"ADDED"/);
      return;
    }
    const event = JSON.parse(first) as Seen;
    expect(event).toMatchObject({
      type: "ERROR",
      object: {
        kind: "Status",
        reason: "Expired",
        code: 410,
        message: expect.stringMatching(/too old resource version: 1 \(\d+\)/),
      },
    });
  });

  promises("a watch ends when its time is up", async (target) => {
    const ns = await target.bareNamespace();
    const { metadata } = await created(target, configMapsIn(ns), configMap("a"));
    const { status, text } = await target.send(
      "GET",
      `${configMapsIn(ns)}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dnobody&resourceVersion=${String(metadata.resourceVersion)}`,
    );
    expect({ status, text: text.trim() }).toEqual({ status: 200, text: "" });
  });

  promises("a watch from nonsense is refused", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    const { status } = await send("GET", `${configMapsIn(ns)}?watch=true&timeoutSeconds=1&resourceVersion=nonsense`);
    expect([400, 422, 500]).toContain(status);
  });

  promises("the columns of a watched table come once", async (target) => {
    const ns = await target.bareNamespace();
    const first = await created(target, configMapsIn(ns), configMap("a"));
    await created(target, configMapsIn(ns), configMap("b", { x: "1" }));
    await created(target, configMapsIn(ns), configMap("c"));
    const query = `watch=true&timeoutSeconds=1&resourceVersion=${String(first.metadata.resourceVersion)}`;
    const { text } = await target.send("GET", `${configMapsIn(ns)}?${query}`, {
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
    });
    const tables = text
      .trim()
      .split("\n")
      .map(
        (line) =>
          (
            JSON.parse(line) as {
              object: { kind: string; columnDefinitions: unknown[] | null; rows: { cells: unknown[] }[] };
            }
          ).object,
      );
    const rows = tables.filter(({ rows: [row] }) => row?.cells[0] === "b" || row?.cells[0] === "c");
    expect(rows.map(({ rows: [row] }) => row?.cells.slice(0, 2))).toEqual([
      ["b", 1],
      ["c", 0],
    ]);
    expect(tables[0]?.columnDefinitions?.length).toBe(3);
    expect(tables[1]?.columnDefinitions ?? []).toEqual([]);
  });

  promises(
    "initial events end with a bookmark that says so",
    async (target) => {
      const ns = await target.bareNamespace();
      await created(target, configMapsIn(ns), configMap("a", {}, { labels: { mine: "yes" } }));
      const query = {
        sendInitialEvents: "true",
        resourceVersionMatch: "NotOlderThan",
        allowWatchBookmarks: "true",
        labelSelector: "mine=yes",
      };
      const events = await watched(target, configMapsIn(ns), query, 2);
      expect(events.map(({ type }) => type)).toEqual(["ADDED", "BOOKMARK"]);
      expect(events[1]?.object).toMatchObject({
        kind: "ConfigMap",
        metadata: {
          annotations: { "k8s.io/initial-events-end": "true" },
          resourceVersion: expect.stringMatching(/^\d+$/),
        },
      });
    },
    { since: 32 },
  );

  promises(
    "initial events need a version match",
    async ({ send, bareNamespace: namespace }) => {
      const ns = await namespace();
      const { status, message } = await send("GET", `${configMapsIn(ns)}?watch=true&sendInitialEvents=true`);
      expect(status).toBe(422);
      expect(message).toContain("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    },
    { since: 27 },
  );
});

/** The first `count` events of a watch. */
async function watched(target: Target, path: string, query: Record<string, string>, count: number): Promise<Seen[]> {
  const client = createClient({ connection: target.connection, clock: systemClock });
  const ended = new AbortController();
  const seen: Seen[] = [];
  try {
    for await (const event of client.watch(path, { query, signal: ended.signal })) {
      seen.push(event);
      if (seen.length === count) break;
    }
  } finally {
    ended.abort();
    await client.close();
  }
  return seen;
}
