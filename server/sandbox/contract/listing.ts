import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { configMap, configMapsIn, created, namesOf } from "@/server/sandbox/contract/samples";

export const listingContract = topic("lists, selectors, pages and tables", (promises) => {
  promises("lists are ordered, carry a version, and leave the kind to the list", async (target) => {
    const ns = await target.bareNamespace();
    for (const name of ["b", "c", "a"])
      await created(target, configMapsIn(ns), configMap(name, {}, { labels: { mine: "yes" } }));
    const reply = await target.send("GET", `${configMapsIn(ns)}?labelSelector=mine%3Dyes`);
    expect(reply.object).toMatchObject({
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
    });
    expect(namesOf(reply)).toEqual(["a", "b", "c"]);
    expect((reply.object["items"] as unknown[])[0]).not.toHaveProperty("kind");
  });

  promises("label selectors select by value, set, presence and absence", async (target) => {
    const ns = await target.bareNamespace();
    const labels: Record<string, Record<string, string>> = {
      a: { tier: "web" },
      b: { tier: "db" },
      c: { tier: "web", old: "yes" },
    };
    for (const [name, of] of Object.entries(labels))
      await created(target, configMapsIn(ns), configMap(name, {}, { labels: of }));
    const rows: [selector: string, names: string[]][] = [
      ["tier=web", ["a", "c"]],
      ["tier==web,old", ["c"]],
      ["tier!=web,tier", ["b"]],
      ["tier in (web,db)", ["a", "b", "c"]],
      ["tier notin (web),tier", ["b"]],
      ["tier,!old", ["a", "b"]],
    ];
    for (const [selector, names] of rows) {
      const reply = await target.send("GET", `${configMapsIn(ns)}?labelSelector=${encodeURIComponent(selector)}`);
      expect(namesOf(reply), selector).toEqual(names);
    }
  });

  promises("a selector that cannot be read is a bad request", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    for (const selector of ["a in (b", `a=${"v".repeat(64)}`, `a in (b,${"v".repeat(64)})`]) {
      const { status, object } = await send("GET", `${configMapsIn(ns)}?labelSelector=${encodeURIComponent(selector)}`);
      expect(status, selector).toBe(400);
      expect(object).toMatchObject({ reason: "BadRequest" });
    }
  });

  promises("field selectors select by name, and refuse fields that a kind does not offer", async (target) => {
    const ns = await target.bareNamespace();
    for (const name of ["a", "b"]) await created(target, configMapsIn(ns), configMap(name));
    expect(namesOf(await target.send("GET", `${configMapsIn(ns)}?fieldSelector=metadata.name%3Db`))).toEqual(["b"]);
    const { status, message } = await target.send("GET", `${configMapsIn(ns)}?fieldSelector=data.key%3Db`);
    expect(status).toBe(400);
    expect(message).toContain('"data.key" is not a known field selector: only "metadata.name", "metadata.namespace"');
  });

  promises("events are found by the object that they speak of", async (target) => {
    const ns = await target.bareNamespace();
    const involvedObject = { kind: "Pod", namespace: ns, name: "p", uid: "11111111-2222-3333-4444-555555555555" };
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "e" },
      involvedObject,
      reason: "Tested",
      type: "Warning",
      message: "m",
    };
    await created(target, `/api/v1/namespaces/${ns}/events`, event);
    const fields = encodeURIComponent(`involvedObject.uid=${involvedObject.uid},type=Warning`);
    expect(namesOf(await target.send("GET", `/api/v1/namespaces/${ns}/events?fieldSelector=${fields}`))).toEqual(["e"]);
    const others = encodeURIComponent("involvedObject.name!=p");
    expect(namesOf(await target.send("GET", `/api/v1/namespaces/${ns}/events?fieldSelector=${others}`))).toEqual([]);
  });

  promises("an event is the same object in both of its groups", async (target) => {
    const ns = await target.bareNamespace();
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "e" },
      involvedObject: { kind: "Pod", namespace: ns, name: "p" },
      reason: "Tested",
      type: "Normal",
      message: "words",
      count: 2,
    };
    await created(target, `/api/v1/namespaces/${ns}/events`, event);
    const { status, object } = await target.send("GET", `/apis/events.k8s.io/v1/namespaces/${ns}/events/e`);
    expect(status).toBe(200);
    expect(object).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      regarding: { name: "p" },
      note: "words",
      reason: "Tested",
      deprecatedCount: 2,
    });
  });

  promises("long lists come in pages that show one moment", async (target) => {
    const ns = await target.bareNamespace();
    for (const name of ["a", "b", "c", "d"])
      await created(target, configMapsIn(ns), configMap(name, {}, { labels: { paged: "yes" } }));
    const first = await target.send("GET", `${configMapsIn(ns)}?limit=2&labelSelector=paged%3Dyes`);
    expect(namesOf(first)).toEqual(["a", "b"]);
    const { continue: token = "", resourceVersion } = first.object.metadata as {
      continue?: string;
      resourceVersion?: string;
    };
    expect(token).not.toBe("");
    await created(target, configMapsIn(ns), configMap("bb", {}, { labels: { paged: "yes" } }));
    await target.send("DELETE", `${configMapsIn(ns)}/d`);
    const second = await target.send(
      "GET",
      `${configMapsIn(ns)}?limit=5&labelSelector=paged%3Dyes&continue=${encodeURIComponent(token)}`,
    );
    expect(namesOf(second)).toEqual(["c", "d"]);
    expect(second.object.metadata.resourceVersion).toBe(resourceVersion);
    expect(second.object.metadata).not.toHaveProperty("continue");
  });

  promises("a page tells how many remain", async (target) => {
    const ns = await target.bareNamespace();
    for (const name of ["a", "b", "c"])
      await created(target, `/api/v1/namespaces/${ns}/limitranges`, {
        apiVersion: "v1",
        kind: "LimitRange",
        metadata: { name },
        spec: { limits: [] },
      });
    const { object } = await target.send("GET", `/api/v1/namespaces/${ns}/limitranges?limit=1`);
    expect(object.metadata).toMatchObject({ remainingItemCount: 2 });
  });

  promises("a list at an exact version shows that version", async (target) => {
    const ns = await target.bareNamespace();
    const first = await created(target, configMapsIn(ns), configMap("a", { n: "1" }, { labels: { at: "x" } }));
    await target.send("PATCH", `${configMapsIn(ns)}/a`, { body: { data: { n: "2" } } });
    const version = String(first.metadata.resourceVersion);
    const query = `labelSelector=at%3Dx&resourceVersionMatch=Exact&resourceVersion=${version}&limit=10`;
    const { object } = await target.send("GET", `${configMapsIn(ns)}?${query}`);
    expect((object["items"] as { data: unknown }[])[0]?.data).toEqual({ n: "1" });
    expect(object.metadata.resourceVersion).toBe(version);
  });

  promises("a number that is none is a bad request", async ({ send, bareNamespace: namespace }) => {
    const path = configMapsIn(await namespace());
    for (const name of ["limit", "timeoutSeconds"]) {
      const { status, message } = await send("GET", `${path}?${name}=many`);
      expect({ status, message }).toEqual({
        status: 400,
        message: 'strconv.ParseInt: parsing "many": invalid syntax',
      });
    }
  });

  promises("a version match without a version is refused", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    const { status, message } = await send("GET", `${configMapsIn(ns)}?resourceVersionMatch=Exact`);
    expect(status).toBe(422);
    expect(message).toContain("resourceVersionMatch is forbidden unless resourceVersion is provided");
  });

  promises("a table has the columns of the kind and a row for each object", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a", { x: "1", y: "2" }));
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    const { object } = await target.send("GET", `${configMapsIn(ns)}?fieldSelector=metadata.name%3Da`, {
      headers: { accept },
    });
    expect(object).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
    const { columnDefinitions, rows } = object as unknown as {
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[]; object: { kind: string; metadata: { name: string } } }[];
    };
    expect(columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Data", "Age"]);
    expect(rows[0]?.cells.slice(0, 2)).toEqual(["a", 2]);
    expect(rows[0]?.object).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "a" } });
  });

  promises("a form that nobody speaks is not acceptable, and nothing is done", async (target) => {
    const path = configMapsIn(await target.bareNamespace());
    for (const accept of ["text/html", "application/cbor", "application/json;as=Nonsense;v=v1;g=meta.k8s.io"]) {
      const refused = await target.send("POST", path, { body: configMap("a"), headers: { accept } });
      expect(refused, accept).toMatchObject({ status: 406, object: { kind: "Status", reason: "NotAcceptable" } });
    }
    expect((await target.send("GET", `${path}/a`)).status).toBe(404);
    const accept = "application/cbor, application/json;q=0.9";
    expect((await target.send("GET", path, { headers: { accept } })).object).toMatchObject({ kind: "ConfigMapList" });
  });

  promises("metadata alone can be asked for", async (target) => {
    const ns = await target.bareNamespace();
    await created(target, configMapsIn(ns), configMap("a", { x: "1" }));
    const accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json";
    const { object } = await target.send("GET", `${configMapsIn(ns)}/a`, { headers: { accept } });
    expect(object).toMatchObject({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { name: "a" },
    });
    expect(object).not.toHaveProperty("data");
  });
});
