import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { badSchemas } from "@/server/sandbox/contract/schema-refusals";
import { type Target, until } from "@/server/sandbox/contract/target";
import { conditionOf, crdsPath, defineWidget, widgetDefinition } from "@/server/sandbox/contract/widget";

export const definitionsContract = topic("definitions of custom resources", (promises) => {
  promises("a definition whose schema is not structural is refused with the field and the rule", async (target) => {
    for (const [title, schema, said] of badSchemas) {
      const body = widgetDefinition({ schema: { type: "object", properties: { spec: schema } } });
      const { status, message } = await target.send("POST", `${crdsPath}?dryRun=All`, { body });
      expect({ title, status }).toEqual({ title, status: 422 });
      expect(message, title).toMatch(said);
    }
  });

  promises(
    "a field that only a branch at the root names is missed; one that a branch further in names is not",
    async (target) => {
      const branch = { type: "object", anyOf: [{ properties: { a: { enum: ["x"] } } }] };
      const atRoot = await target.send("POST", `${crdsPath}?dryRun=All`, {
        body: widgetDefinition({ schema: branch }),
      });
      expect(atRoot.status).toBe(422);
      expect(atRoot.message).toMatch(
        /openAPIV3Schema\.properties\[a\]: Required value: because it is defined in .*anyOf\[0\]\.properties\[a\]/,
      );
      const further = widgetDefinition({ schema: { type: "object", properties: { spec: branch } } });
      expect((await target.send("POST", `${crdsPath}?dryRun=All`, { body: further })).status).toBe(201);
    },
  );

  promises("a definition needs a name of its plural and group, a storage version, and a schema", async (target) => {
    const definition = widgetDefinition();
    const send = async (body: unknown) => (await target.send("POST", `${crdsPath}?dryRun=All`, { body })).message;
    expect(await send({ ...definition, metadata: { name: "other" } })).toContain(
      'metadata.name: Invalid value: "other": must be spec.names.plural+"."+spec.group',
    );
    const [version] = definition.spec.versions;
    const withVersion = (change: object) => ({
      ...definition,
      spec: { ...definition.spec, versions: [{ ...version, ...change }] },
    });
    expect(await send(withVersion({ storage: false }))).toContain(
      "must have exactly one version marked as storage version",
    );
    expect(await send(withVersion({ schema: undefined }))).toContain(
      "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required",
    );
    expect(await send({ ...definition, spec: { ...definition.spec, scope: "World" } })).toContain(
      'spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"',
    );
  });
  promises(
    "an established definition says so and is in discovery with its short names and categories",
    async (target) => {
      const widget = await defineWidget(target, {
        names: { shortNames: ["wdg"], categories: ["all"] },
        version: { subresources: { status: {} } },
      });
      expect(await conditionOf(target, widget.crdPath, "NamesAccepted")).toMatchObject({
        status: "True",
        reason: "NoConflicts",
        message: "no conflicts found",
      });
      expect(await conditionOf(target, widget.crdPath, "Established")).toMatchObject({
        status: "True",
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      });
      const { object } = await target.send("GET", widget.crdPath);
      expect(object.status).toMatchObject({
        acceptedNames: { plural: "widgets", kind: "Widget" },
        storedVersions: ["v1"],
      });
      const discovery = await target.send("GET", `/apis/${widget.group}/v1`);
      expect(discovery.object["resources"]).toMatchObject([
        {
          name: "widgets",
          singularName: "widget",
          namespaced: true,
          kind: "Widget",
          shortNames: ["wdg"],
          categories: ["all"],
        },
        { name: "widgets/status", kind: "Widget", verbs: ["get", "patch", "update"] },
      ]);
    },
  );

  promises("a definition whose kind is taken in its group is not served and says whose fault it is", async (target) => {
    const widget = await defineWidget(target);
    const other = widgetDefinition({ group: widget.group, names: { plural: "gadgets", singular: "gadget" } });
    await target.send("POST", crdsPath, { body: other });
    const path = `${crdsPath}/${other.metadata.name}`;
    target.cleanUp(path);
    await until("the verdict", async () => (await conditionOf(target, path, "NamesAccepted")) !== undefined);
    expect(await conditionOf(target, path, "NamesAccepted")).toMatchObject({
      status: "False",
      reason: "ListKindConflict",
      message: '"WidgetList" is already in use',
    });
    expect(await conditionOf(target, path, "Established")).toMatchObject({
      status: "False",
      reason: "NotAccepted",
      message: "not all names are accepted",
    });
  });

  promises("an object is served in every version and stored in one", async (target) => {
    const version = (name: string, storage: boolean, more = {}) => ({
      name,
      served: true,
      storage,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: { spec: { type: "object", properties: { a: { type: "string" }, ...more } } },
        },
      },
    });
    const widget = await defineWidget(target, {
      versions: [version("v1", false, { b: { type: "string", default: "B" } }), version("v1beta1", true)],
    });
    const namespace = await target.bareNamespace();
    await until(
      "the other version",
      async () => (await target.send("GET", widget.path(namespace, undefined, "v1beta1"))).status === 200,
    );
    const created = await target.send("POST", widget.path(namespace, undefined, "v1beta1"), {
      body: { ...widget.body("w", { spec: { a: "a" } }), apiVersion: `${widget.group}/v1beta1` },
    });
    expect(created.object).toMatchObject({ apiVersion: `${widget.group}/v1beta1`, spec: { a: "a" } });
    expect((await target.send("GET", widget.path(namespace, "w"))).object).toMatchObject({
      apiVersion: `${widget.group}/v1`,
      spec: { a: "a" },
    });
    expect((await target.send("GET", widget.path(namespace, "w", "v1beta1"))).object.spec).toEqual({ a: "a" });
  });

  promises("deleting a definition deletes its objects and ends their API", async (target) => {
    const widget = await defineWidget(target);
    const namespace = await target.bareNamespace();
    await target.send("POST", widget.path(namespace), { body: widget.body("w") });
    await target.send("DELETE", widget.crdPath);
    await until("the end of the definition", async () => (await target.send("GET", widget.crdPath)).status === 404);
    await until(
      "the end of the API",
      async () => (await target.send("GET", widget.path(namespace, "w"))).status === 404,
    );
    const again = await defineWidget(target, { group: widget.group });
    expect((await target.send("GET", again.path(namespace))).object["items"]).toEqual([]);
  });

  promises("a definition waits for the finalizers of its objects", async (target) => {
    const widget = await defineWidget(target);
    const namespace = await target.bareNamespace();
    const body = widget.body("w");
    await target.send("POST", widget.path(namespace), {
      body: { ...body, metadata: { name: "w", finalizers: ["example.com/hold"] } },
    });
    await target.send("DELETE", widget.crdPath);
    await until(
      "the object on its way out",
      async () =>
        (await target.send("GET", widget.path(namespace, "w"))).object.metadata.deletionTimestamp !== undefined,
    );
    expect((await target.send("GET", widget.crdPath)).object.metadata.finalizers).toEqual([
      "customresourcecleanup.apiextensions.k8s.io",
    ]);
    await release(target, widget.path(namespace, "w"));
    await until("the end of the definition", async () => (await target.send("GET", widget.crdPath)).status === 404);
  });

  promises("group, plural, scope and kind of a definition cannot change", async (target) => {
    const widget = await defineWidget(target);
    const said = async (spec: object) => (await target.send("PATCH", widget.crdPath, { body: { spec } })).message;
    expect(await said({ scope: "Cluster" })).toContain('spec.scope: Invalid value: "Cluster": field is immutable');
    expect(await said({ names: { kind: "Gadget" } })).toContain(
      'spec.names.kind: Invalid value: "Gadget": field is immutable',
    );
  });
});

async function release(target: Target, path: string): Promise<void> {
  const { status } = await target.send("PATCH", path, { body: { metadata: { finalizers: null } } });
  expect(status).toBe(200);
}
