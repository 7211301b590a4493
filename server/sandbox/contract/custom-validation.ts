import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { refusals } from "@/server/sandbox/contract/schema-refusals";
import { strictSchema } from "@/server/sandbox/contract/strict-schema";
import { defineWidget } from "@/server/sandbox/contract/widget";

export const customValidationContract = topic("validation of custom resources", (promises) => {
  promises("every broken rule of a schema is told in Kubernetes' words, and nothing is stored", async (target) => {
    const widget = await defineWidget(target, { schema: strictSchema });
    const namespace = await target.bareNamespace();
    for (const [title, spec, said] of refusals) {
      const { status, object, message } = await target.send("POST", widget.path(namespace), {
        body: widget.body("w", { spec }),
      });
      expect({ title, status }).toEqual({ title, status: 422 });
      const prefix = `${widget.kind}.${widget.group} "w" is invalid: `;
      expect(message.slice(0, prefix.length), title).toBe(prefix);
      expect(message.slice(prefix.length), title).toMatch(said);
      expect(object["reason"]).toBe("Invalid");
      expect(object["details"]).toMatchObject({ name: "w", group: widget.group, kind: widget.kind });
    }
    expect((await target.send("GET", widget.path(namespace, "w"))).status).toBe(404);
  });

  promises("what all kinds share is typed in custom resources, too", async (target) => {
    const widget = await defineWidget(target);
    const path = widget.path(await target.bareNamespace());
    const body = { ...widget.body("w"), metadata: { name: "w", annotations: ["none"] } };
    const { status, object } = await target.send("POST", path, { body });
    expect(status).toBe(400);
    expect(object).toMatchObject({ kind: "Status", reason: "BadRequest" });
  });

  promises("a refusal lists its causes with field, reason and message", async (target) => {
    const widget = await defineWidget(target, { schema: strictSchema });
    const namespace = await target.bareNamespace();
    const { object } = await target.send("POST", widget.path(namespace), {
      body: widget.body("w", { spec: { size: -2 } }),
    });
    expect(object["details"]).toMatchObject({
      causes: [
        {
          reason: "FieldValueInvalid",
          field: "spec.size",
          message: "Invalid value: -2: spec.size in body should be greater than or equal to 0",
        },
      ],
    });
  });

  promises("what fits the schema is stored", async (target) => {
    const widget = await defineWidget(target, { schema: strictSchema });
    const namespace = await target.bareNamespace();
    const spec = {
      size: 4,
      ratio: 0.5,
      color: "red",
      level: 2,
      name: "abc",
      tags: ["a"],
      labels: { a: "b" },
      parts: [{ id: 1 }],
      port: "http",
      when: "2024-01-02T03:04:05Z",
      ready: false,
      note: null,
    };
    const { status, object } = await target.send("POST", widget.path(namespace), { body: widget.body("w", { spec }) });
    expect(status).toBe(201);
    expect(object.spec).toEqual(spec);
  });

  promises("a resource inside a resource must say what it is", async (target) => {
    const schema = {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            template: {
              type: "object",
              "x-kubernetes-embedded-resource": true,
              "x-kubernetes-preserve-unknown-fields": true,
            },
          },
        },
      },
    };
    const widget = await defineWidget(target, { schema });
    const namespace = await target.bareNamespace();
    const refused = await target.send("POST", widget.path(namespace), {
      body: widget.body("w", { spec: { template: { a: 1 } } }),
    });
    expect(refused.status).toBe(422);
    expect(refused.message).toContain("spec.template.apiVersion: Required value: must not be empty");
    expect(refused.message).toContain("spec.template.kind: Required value: must not be empty");
    const template = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, a: 1 };
    expect(
      (await target.send("POST", widget.path(namespace), { body: widget.body("w", { spec: { template } }) })).object
        .spec,
    ).toEqual({ template });
  });

  promises("a set holds an item once, a keyed list a key once", async (target) => {
    const list = (kind: string, items: object, more = {}) => ({
      type: "array",
      "x-kubernetes-list-type": kind,
      items,
      ...more,
    });
    const keyed = list(
      "map",
      { type: "object", required: ["k"], properties: { k: { type: "string" } } },
      { "x-kubernetes-list-map-keys": ["k"] },
    );
    const schema = {
      type: "object",
      properties: { spec: { type: "object", properties: { set: list("set", { type: "string" }), keyed } } },
    };
    const widget = await defineWidget(target, { schema });
    const namespace = await target.bareNamespace();
    const twice = async (spec: object) =>
      (await target.send("POST", widget.path(namespace), { body: widget.body("w", { spec }) })).message;
    expect(await twice({ set: ["a", "b", "a"] })).toContain('spec.set[2]: Duplicate value: "a"');
    expect(await twice({ keyed: [{ k: "x" }, { k: "x" }] })).toMatch(
      /spec\.keyed\[1\]: Duplicate value: (map\[string\]interface {}{"k":"x"}|{"k":"x"})/,
    );
  });

  promises("oneOf, anyOf and not are enforced", async (target) => {
    const spec = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" }, c: { type: "string" }, size: { type: "integer" } },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
      anyOf: [{ properties: { size: { minimum: 5 } } }, { required: ["c"] }],
      not: { required: ["a", "c"] },
    };
    const widget = await defineWidget(target, { schema: { type: "object", properties: { spec } } });
    const namespace = await target.bareNamespace();
    const said = async (of: object) =>
      (await target.send("POST", widget.path(namespace), { body: widget.body("w", { spec: of }) })).message;
    expect(await said({ a: "1", b: "2", size: 9 })).toContain(
      '"spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    );
    expect(await said({ size: 9 })).toContain('"spec" must validate one and only one schema (oneOf). Found none valid');
    expect(await said({ a: "1", size: 1 })).toContain('"spec" must validate at least one schema (anyOf)');
    expect(await said({ a: "1", c: "3", size: 9 })).toContain('"spec" must not validate the schema (not)');
    expect(
      (await target.send("POST", widget.path(namespace), { body: widget.body("w", { spec: { b: "2", size: 9 } }) }))
        .status,
    ).toBe(201);
  });
});
