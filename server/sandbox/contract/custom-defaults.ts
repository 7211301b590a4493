import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { until } from "@/server/sandbox/contract/target";
import { defineWidget } from "@/server/sandbox/contract/widget";

export const customDefaultsContract = topic("pruning and defaults of custom resources", (promises) => {
  promises("unknown fields are dropped, except where the schema keeps them", async (target) => {
    const schema = {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            known: { type: "string" },
            open: {
              type: "object",
              "x-kubernetes-preserve-unknown-fields": true,
              properties: { inner: { type: "object", properties: { a: { type: "string" } } } },
            },
            map: { type: "object", additionalProperties: { type: "object", properties: { a: { type: "string" } } } },
            list: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
          },
        },
      },
    };
    const widget = await defineWidget(target, { schema });
    const namespace = await target.bareNamespace();
    const spec = {
      known: "k",
      extra: 1,
      open: { any: 1, inner: { a: "a", b: "b" } },
      map: { x: { a: "a", b: "b" } },
      list: [{ a: "a", b: "b" }],
    };
    const { object } = await target.send("POST", widget.path(namespace), { body: widget.body("w", { spec, more: 1 }) });
    expect(object.spec).toEqual({
      known: "k",
      open: { any: 1, inner: { a: "a" } },
      map: { x: { a: "a" } },
      list: [{ a: "a" }],
    });
    expect(object["more"]).toBeUndefined();
  });

  promises(
    "missing fields get their defaults, also deep inside, and null where null is not allowed counts as missing",
    async (target) => {
      const part = { type: "object", properties: { a: { type: "string", default: "A" } } };
      const schema = {
        type: "object",
        properties: {
          spec: {
            type: "object",
            default: { size: 1 },
            properties: {
              size: { type: "integer" },
              mode: { type: "string", default: "auto" },
              inner: { type: "object", default: {}, properties: { deep: { type: "boolean", default: true } } },
              absent: { type: "object", properties: { deep: { type: "boolean", default: true } } },
              list: { type: "array", items: part },
              map: { type: "object", additionalProperties: part },
              nullable: { type: "string", nullable: true, default: "n" },
            },
          },
        },
      };
      const widget = await defineWidget(target, { schema });
      const namespace = await target.bareNamespace();
      const bare = await target.send("POST", widget.path(namespace), { body: widget.body("bare") });
      expect(bare.object.spec).toEqual({ size: 1, mode: "auto", inner: { deep: true }, nullable: "n" });
      const spec = { mode: null, nullable: null, list: [{}], map: { x: {} } };
      const given = await target.send("POST", widget.path(namespace), { body: widget.body("given", { spec }) });
      expect(given.object.spec).toEqual({
        mode: "auto",
        inner: { deep: true },
        nullable: null,
        list: [{ a: "A" }],
        map: { x: { a: "A" } },
      });
    },
  );

  promises("a default that is added later shows on objects that were stored before", async (target) => {
    const schemaWith = (properties: object) => ({
      type: "object",
      properties: { spec: { type: "object", properties } },
    });
    const widget = await defineWidget(target, { schema: schemaWith({ a: { type: "string" } }) });
    const namespace = await target.bareNamespace();
    await target.send("POST", widget.path(namespace), { body: widget.body("w", { spec: { a: "a" } }) });
    const later = schemaWith({ a: { type: "string" }, b: { type: "string", default: "B" } });
    await target.send("PATCH", widget.crdPath, {
      contentType: "application/json-patch+json",
      body: [{ op: "replace", path: "/spec/versions/0/schema/openAPIV3Schema", value: later }],
    });
    await until(
      "the new default",
      async () => (await target.send("GET", widget.path(namespace, "w"))).object.spec?.["b"] === "B",
    );
    const { object } = await target.send("GET", widget.path(namespace));
    expect(object["items"]).toMatchObject([{ spec: { a: "a", b: "B" } }]);
  });
});
