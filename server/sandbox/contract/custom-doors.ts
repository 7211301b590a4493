import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { strictSchema } from "@/server/sandbox/contract/strict-schema";
import { defineWidget } from "@/server/sandbox/contract/widget";

export const customDoorsContract = topic("status, scale and tables of custom resources", (promises) => {
  promises(
    "the status is a door of its own: the main one does not change it, and it changes nothing else",
    async (target) => {
      const widget = await defineWidget(target, { schema: strictSchema, version: { subresources: { status: {} } } });
      const namespace = await target.bareNamespace();
      const path = widget.path(namespace, "w");
      const created = await target.send("POST", widget.path(namespace), {
        body: widget.body("w", { spec: { size: 2 }, status: { phase: "Up" } }),
      });
      expect(created.object.status).toBeUndefined();
      expect(created.object.metadata.generation).toBe(1);
      const status = await target.send("PATCH", `${path}/status`, {
        body: { spec: { size: 8 }, status: { phase: "Up", extra: 1 } },
      });
      expect(status.object).toMatchObject({ spec: { size: 2 }, status: { phase: "Up" }, metadata: { generation: 1 } });
      expect(status.object.status?.["extra"]).toBeUndefined();
      const spec = await target.send("PATCH", path, { body: { spec: { size: 8 }, status: { phase: "Down" } } });
      expect(spec.object).toMatchObject({ spec: { size: 8 }, status: { phase: "Up" }, metadata: { generation: 2 } });
      const refused = await target.send("PATCH", `${path}/status`, { body: { status: { phase: "Sideways" } } });
      expect(refused.message).toContain('status.phase: Unsupported value: "Sideways": supported values: "Up", "Down"');
    },
  );

  promises("a definition without the status door has none, and its status is ordinary", async (target) => {
    const widget = await defineWidget(target, { schema: strictSchema });
    const namespace = await target.bareNamespace();
    const created = await target.send("POST", widget.path(namespace), {
      body: widget.body("w", { spec: { size: 2 }, status: { phase: "Up" } }),
    });
    expect(created.object.status).toEqual({ phase: "Up" });
    expect((await target.send("GET", `${widget.path(namespace, "w")}/status`)).status).toBe(404);
  });

  promises("scale reads and writes the replicas that the definition points at", async (target) => {
    const scale = {
      specReplicasPath: ".spec.size",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    };
    const widget = await defineWidget(target, {
      schema: strictSchema,
      version: { subresources: { status: {}, scale } },
    });
    const namespace = await target.bareNamespace();
    await target.send("POST", widget.path(namespace), { body: widget.body("w", { spec: { size: 2 } }) });
    const path = `${widget.path(namespace, "w")}/scale`;
    const read = await target.send("GET", path);
    expect(read.object).toMatchObject({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "w", namespace },
      spec: { replicas: 2 },
      status: { replicas: 0 },
    });
    const written = await target.send("PATCH", path, { body: { spec: { replicas: 6 } } });
    expect(written.object.spec).toEqual({ replicas: 6 });
    expect((await target.send("GET", widget.path(namespace, "w"))).object).toMatchObject({
      spec: { size: 6 },
      metadata: { generation: 2 },
    });
    const refused = await target.send("PATCH", path, { body: { spec: { replicas: -1 } } });
    expect(refused.status).toBe(422);
    expect(refused.message).toContain("Invalid value: -1: ");
    const direct = await target.send("PATCH", widget.path(namespace, "w"), { body: { spec: { size: -2 } } });
    expect(direct.message).toContain(".spec.size: Invalid value: -2: should be a non-negative integer");
  });

  promises("tables show the columns of the definition, and the age where it names none", async (target) => {
    const additionalPrinterColumns = [
      { name: "Size", type: "integer", jsonPath: ".spec.size" },
      { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 },
      { name: "First", type: "string", jsonPath: ".spec.tags[0]" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ];
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
    const widget = await defineWidget(target, { schema: strictSchema, version: { additionalPrinterColumns } });
    const namespace = await target.bareNamespace();
    await target.send("POST", widget.path(namespace), {
      body: widget.body("w", { spec: { size: 2, tags: ["a", "b"] } }),
    });
    const { object } = await target.send("GET", widget.path(namespace), { headers });
    expect(object).toMatchObject({
      kind: "Table",
      columnDefinitions: [
        { name: "Name", type: "string", format: "name" },
        { name: "Size", type: "integer", priority: 0 },
        { name: "Color", type: "string", priority: 1 },
        { name: "First", type: "string" },
        { name: "Age", type: "date" },
      ],
      rows: [
        {
          cells: ["w", 2, null, "a", expect.stringMatching(/^\d+s$|^<invalid>$/)],
          object: { kind: "PartialObjectMetadata", metadata: { name: "w" } },
        },
      ],
    });
    const plain = await defineWidget(target);
    expect((await target.send("GET", plain.path(namespace), { headers })).object).toMatchObject({
      columnDefinitions: [{ name: "Name" }, { name: "Age" }],
    });
  });
});
