import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { configMap, configMapsIn, deployment, deploymentsIn } from "@/server/sandbox/contract/samples";

export const badInputContract = topic("bad input", (promises) => {
  for (const [title, text] of [
    ["half an object", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":'],
    ["no JSON at all", "nonsense"],
    ["an array", "[]"],
    ["a string", '"words"'],
  ] as const) {
    promises(`${title} is a bad request`, async ({ send, bareNamespace: namespace }) => {
      const { status, object } = await send("POST", configMapsIn(await namespace()), { text });
      expect(status).toBe(400);
      expect(object).toMatchObject({ kind: "Status", status: "Failure", reason: "BadRequest", code: 400 });
    });
  }

  promises("an object of another kind is a bad request", async ({ send, bareNamespace: namespace }) => {
    const body = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } };
    const { status, message } = await send("POST", configMapsIn(await namespace()), { body });
    expect(status).toBe(400);
    expect(message).toContain("Secret");
    expect(message).toContain("ConfigMap");
  });

  promises("an object of another group is a bad request", async ({ send, bareNamespace: namespace }) => {
    const { status, object } = await send("POST", deploymentsIn(await namespace()), {
      body: { ...deployment("d"), apiVersion: "extensions/v1" },
    });
    expect(status).toBe(400);
    expect(object).toMatchObject({ reason: "BadRequest" });
  });

  promises("a value of the wrong type is a bad request", async ({ send, bareNamespace: namespace }) => {
    const { status, message } = await send("POST", deploymentsIn(await namespace()), {
      body: deployment("d", { replicas: "three" }),
    });
    expect(status).toBe(400);
    expect(message).toContain('Deployment in version "v1" cannot be handled as a Deployment');
  });

  for (const replicas of [1.5, 99_999_999_999, -99_999_999_999, 1e300]) {
    promises(`${replicas} replicas are a bad request`, async ({ send, bareNamespace: namespace }) => {
      const { status, object } = await send("POST", deploymentsIn(await namespace()), {
        body: deployment("d", { replicas }),
      });
      expect(status).toBe(400);
      expect(object).toMatchObject({ reason: "BadRequest" });
    });
  }

  promises("annotations and data that are too large are refused", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    for (const [object, field, bytes] of [
      [configMap("a", {}, { annotations: { note: "x".repeat(262_144) } }), "metadata.annotations", 262_144],
      [configMap("a", { x: "x".repeat(1_048_577) }), "[]", 1_048_576],
    ] as const) {
      const { status, object: refusal } = await send("POST", configMapsIn(ns), { body: object });
      expect(status).toBe(422);
      expect(refusal).toMatchObject({
        reason: "Invalid",
        details: { causes: [{ reason: "FieldValueTooLong", field }] },
      });
      expect(refusal["message"]).toContain(`must have at most ${bytes} bytes`);
    }
  });

  promises("a patch that makes something else of the object is told as the patch's fault", async (target) => {
    const { send, bareNamespace: namespace } = target;
    const path = `${configMapsIn(await namespace())}/a`;
    await send("POST", path.replace(/\/a$/, ""), { body: configMap("a", { x: "1" }) });
    for (const [contentType, body] of [
      ["application/merge-patch+json", { data: { x: 1 } }],
      ["application/merge-patch+json", { kind: "Secret" }],
      ["application/json-patch+json", [{ op: "copy", from: "", path: "/data/all" }]],
    ] as const) {
      const { status, object } = await send("PATCH", path, { body, contentType });
      expect([status, object["reason"]], JSON.stringify(body)).toEqual([422, "Invalid"]);
    }
  });

  promises("a JSON patch of ever larger copies, or of too many operations, is refused", async (target) => {
    const { send, bareNamespace: namespace } = target;
    const path = `${configMapsIn(await namespace())}/a`;
    await send("POST", path.replace(/\/a$/, ""), { body: configMap("a", { x: "1" }) });
    const contentType = "application/json-patch+json";
    const doubling = Array.from({ length: 40 }, (_, i) => ({ op: "copy", from: "", path: `/data/x${i}` }));
    expect((await send("PATCH", path, { body: doubling, contentType })).status).toBe(422);
    const many = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/data/x", value: "1" }));
    expect((await send("PATCH", path, { body: many, contentType })).status).toBe(413);
  });

  promises("a collection can be neither replaced nor patched", async ({ send, bareNamespace: namespace }) => {
    const path = configMapsIn(await namespace());
    const contentType = "application/merge-patch+json";
    for (const [method, options] of [
      ["PUT", {}],
      ["PATCH", { contentType }],
    ] as const)
      expect((await send(method, path, { body: configMap("a"), ...options })).status).toBe(405);
  });

  promises("what is applied names its version", async ({ send, bareNamespace: namespace }) => {
    const path = `${configMapsIn(await namespace())}/a?fieldManager=f`;
    const contentType = "application/apply-patch+yaml";
    const { status, message } = await send("PATCH", path, { text: "metadata: {name: a}", contentType });
    expect(status).toBe(400);
    expect(message).toContain("Incorrect version specified in apply patch. Specified patch version: , expected: v1");
  });

  promises("a name that is no text is a bad request", async ({ send, bareNamespace: namespace }) => {
    const body = { ...configMap("a"), metadata: { name: 1 } };
    expect((await send("POST", configMapsIn(await namespace()), { body })).status).toBe(400);
  });

  promises("a body that is too large is refused", async ({ send, bareNamespace: namespace }) => {
    const body = configMap("a", { x: "x".repeat(3 * 1_024 * 1_024) });
    const { status, object } = await send("POST", configMapsIn(await namespace()), { body });
    expect(status).toBe(413);
    expect(object).toMatchObject({
      reason: "RequestEntityTooLarge",
      code: 413,
      message: expect.stringContaining("limit is 3145728"),
    });
  });

  promises("a body of an unknown format is refused", async ({ send, bareNamespace: namespace }) => {
    const { status, object } = await send("POST", configMapsIn(await namespace()), {
      text: "<a/>",
      contentType: "application/xml",
    });
    expect(status).toBe(415);
    expect(object).toMatchObject({ reason: "UnsupportedMediaType" });
  });

  promises("a field that a built-in kind does not know is dropped", async ({ send, bareNamespace: namespace }) => {
    const ns = await namespace();
    const { status, object } = await send("POST", `${configMapsIn(ns)}?fieldValidation=Ignore`, {
      body: { ...configMap("a"), nonsense: 1 },
    });
    expect(status).toBe(201);
    expect(object).not.toHaveProperty("nonsense");
  });

  promises(
    "a field that the kind does not know is refused when the client is strict",
    async ({ send, bareNamespace: namespace }) => {
      const ns = await namespace();
      const { status, message } = await send("POST", `${configMapsIn(ns)}?fieldValidation=Strict`, {
        body: { ...configMap("a"), nonsense: 1 },
      });
      expect(status).toBe(400);
      expect(message).toContain('strict decoding error: unknown field "nonsense"');
    },
    { since: 25 },
  );

  promises(
    "a field that the kind does not know is warned of",
    async ({ send, bareNamespace: namespace }) => {
      const ns = await namespace();
      const { status, headers } = await send("POST", configMapsIn(ns), { body: { ...configMap("a"), nonsense: 1 } });
      expect(status).toBe(201);
      expect(String(headers["warning"])).toContain("unknown field");
    },
    { since: 25 },
  );

  promises(
    "keys that would reach into prototypes are data like any other",
    async ({ send, bareNamespace: namespace }) => {
      const ns = await namespace();
      const text =
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","annotations":{"constructor":"1"}},"data":{"constructor":"1","__proto__":"2"}}';
      const { status, text: answer } = await send("POST", configMapsIn(ns), { text });
      expect(status).toBe(201);
      expect(answer).toContain('"__proto__":"2"');
      const again = await send("PATCH", `${configMapsIn(ns)}/a`, { text: '{"data":{"__proto__":"3"}}' });
      expect(again.text).toContain('"__proto__":"3"');
      expect(({} as Record<string, unknown>)["2"]).toBeUndefined();
    },
  );

  promises("a wish for a dry run that nobody understands is refused, not carried out", async (target) => {
    const ns = await target.bareNamespace();
    const { status, message } = await target.send("POST", `${configMapsIn(ns)}?dryRun=Some`, { body: configMap("a") });
    expect(status).toBe(422);
    expect(message).toContain("dryRun: Unsupported value: ");
    expect((await target.send("GET", `${configMapsIn(ns)}/a`)).status).toBe(404);
  });

  promises("an owner that is only half named is invalid", async (target) => {
    const ns = await target.bareNamespace();
    const half = configMap("a", {}, { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "", uid: "" }] });
    const { status, message } = await target.send("POST", configMapsIn(ns), { body: half });
    expect(status).toBe(422);
    // Later versions no longer repeat which part it is.
    expect(message).toMatch(/metadata\.ownerReferences\.name: Invalid value: "": (name )?must not be empty/);
    expect(message).toMatch(/metadata\.ownerReferences\.uid: Invalid value: "": (uid )?must not be empty/);
  });

  promises("names that every object of a language has are no subresources and no fields", async (target) => {
    const ns = await target.bareNamespace();
    await target.send("POST", configMapsIn(ns), { body: configMap("a") });
    for (const name of ["constructor", "__proto__", "toString"])
      expect((await target.send("GET", `${configMapsIn(ns)}/a/${name}`)).status, name).toBe(404);
    expect((await target.send("GET", `${configMapsIn(ns)}/constructor`)).status).toBe(404);
  });

  promises("YAML that contains itself is a bad request", async (target) => {
    const ns = await target.bareNamespace();
    const text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: &a\n  b: *a\n";
    const { status, object } = await target.send("POST", configMapsIn(ns), { text, contentType: "application/yaml" });
    expect(status).toBe(400);
    expect(object).toMatchObject({ kind: "Status", reason: "BadRequest" });
  });

  promises("nesting without an end is refused", async ({ send, bareNamespace: namespace }) => {
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const { status, object } = await send("POST", configMapsIn(await namespace()), {
      text: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":${deep}}`,
    });
    expect(status).toBe(400);
    expect(object).toMatchObject({ reason: "BadRequest" });
  });

  for (const [title, data] of [
    ["brackets", "[".repeat(20_000)],
    ["maps", "{a: ".repeat(20_000)],
    ["dashes", `\n${"- ".repeat(20_000)}a`],
    ["indentation", Array.from({ length: 2_000 }, (_, depth) => `\n${" ".repeat(depth + 1)}a:`).join("")],
  ] as const) {
    promises(`YAML that nests without an end by ${title} is refused, and the server lives`, async (target) => {
      const ns = await target.bareNamespace();
      const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: ${data}\n`;
      const { status } = await target.send("POST", configMapsIn(ns), { text, contentType: "application/yaml" });
      expect(status).toBe(400);
      expect((await target.send("GET", "/readyz")).status).toBe(200);
    });
  }

  promises("a null body leaves nothing behind", async ({ send, bareNamespace: namespace }) => {
    const { status } = await send("POST", configMapsIn(await namespace()), { text: "null" });
    expect([400, 422]).toContain(status);
  });
});
