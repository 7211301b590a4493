import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { type Target, until } from "@/server/sandbox/contract/target";
import { conditionOf, crdsPath, defineWidget, widgetDefinition } from "@/server/sandbox/contract/widget";

const strict = {
  type: "object",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 0, maximum: 10, multipleOf: 2 },
        ratio: { type: "number", exclusiveMinimum: true, minimum: 0 },
        color: { type: "string", enum: ["red", "green"] },
        level: { type: "integer", enum: [1, 2] },
        name: { type: "string", minLength: 2, maxLength: 4, pattern: "^[a-z]+$" },
        tags: { type: "array", minItems: 1, maxItems: 2, items: { type: "string" } },
        labels: { type: "object", minProperties: 1, additionalProperties: { type: "string" } },
        parts: { type: "array", items: { type: "object", required: ["id"], properties: { id: { type: "integer" } } } },
        port: { "x-kubernetes-int-or-string": true },
        when: { type: "string", format: "date-time" },
        ready: { type: "boolean" },
        note: { type: "string", nullable: true },
      },
    },
    status: {
      type: "object",
      properties: { phase: { type: "string", enum: ["Up", "Down"] }, replicas: { type: "integer" } },
    },
  },
};

/** What is wrong with spec → what the server says about it, in its words. Later versions reword a few. */
const refusals: [title: string, spec: unknown, said: RegExp][] = [
  [
    "a number below the minimum",
    { size: -2 },
    /^spec\.size: Invalid value: -2: spec\.size in body should be greater than or equal to 0$/,
  ],
  [
    "a number above the maximum",
    { size: 12 },
    /^spec\.size: Invalid value: 12: spec\.size in body should be less than or equal to 10$/,
  ],
  [
    "a number that is no multiple",
    { size: 3 },
    /^spec\.size: Invalid value: 3: spec\.size in body should be a multiple of 2$/,
  ],
  [
    "an exclusive minimum",
    { size: 2, ratio: 0 },
    /^spec\.ratio: Invalid value: 0: spec\.ratio in body should be greater than 0$/,
  ],
  ["a required field", {}, /^spec\.size: Required value$/],
  [
    "a string for an integer",
    { size: "two" },
    /^spec\.size: Invalid value: "string": spec\.size in body must be of type integer: "string"$/,
  ],
  [
    "a fraction for an integer",
    { size: 1.5 },
    /^\[?(?=.*spec\.size: Invalid value: "number": spec\.size in body must be of type integer: "number")/,
  ],
  [
    "an object for a string",
    { size: 2, color: { a: 1 } },
    /^\[?(?=.*spec\.color: Invalid value: "object": spec\.color in body must be of type string: "object")/,
  ],
  [
    "an array for a boolean",
    { size: 2, ready: [true] },
    /^spec\.ready: Invalid value: "array": spec\.ready in body must be of type boolean: "array"$/,
  ],
  [
    "a value outside an enum",
    { size: 2, color: "blue" },
    /^spec\.color: Unsupported value: "blue": supported values: "red", "green"$/,
  ],
  [
    "a number outside an enum",
    { size: 2, level: 3 },
    /^spec\.level: Unsupported value: 3: supported values: "1", "2"$/,
  ],
  [
    "a text that is too short",
    { size: 2, name: "a" },
    /^spec\.name: Invalid value: "a": spec\.name in body should be at least 2 chars long$/,
  ],
  [
    "a text that is too long",
    { size: 2, name: "abcde" },
    /^spec\.name: (Invalid value: "abcde": spec\.name in body should be at most 4 chars long|Too long: may not be (longer than 4|more than 4 bytes))$/,
  ],
  [
    "a text that does not match",
    { size: 2, name: "AB" },
    /^spec\.name: Invalid value: "AB": spec\.name in body should match '\^\[a-z\]\+\$'$/,
  ],
  [
    "too few items",
    { size: 2, tags: [] },
    /^spec\.tags: Invalid value: 0: spec\.tags in body should have at least 1 items$/,
  ],
  [
    "too many items",
    { size: 2, tags: ["a", "b", "c"] },
    /^spec\.tags: (Invalid value: 3: spec\.tags in body should have at most 2 items|Too many: 3: must have at most 2 items)$/,
  ],
  [
    "an item of the wrong type",
    { size: 2, tags: [1] },
    /^spec\.tags(\.0|\[0\])?: Invalid value: "integer": spec\.tags(\.0|\[0\])? in body must be of type string: "integer"$/,
  ],
  [
    "too few properties",
    { size: 2, labels: {} },
    /^spec\.labels: Invalid value: [01]: spec\.labels in body should have at least 1 properties$/,
  ],
  [
    "a map value of the wrong type",
    { size: 2, labels: { a: 1 } },
    /^spec\.labels\.a: Invalid value: "integer": spec\.labels\.a in body must be of type string: "integer"$/,
  ],
  ["a required field of an item", { size: 2, parts: [{}] }, /^spec\.parts(\.0|\[0\])?\.id: Required value$/],
  [
    "a boolean for an int-or-string",
    { size: 2, port: true },
    /^spec\.port: Invalid value: "boolean": spec\.port in body must be of type integer,string: "boolean"$/,
  ],
  [
    "a date that is none",
    { size: 2, when: "soon" },
    /^spec\.when: Invalid value: "soon": spec\.when in body must be of type date-time: "soon"$/,
  ],
  [
    "several faults at once",
    { size: -2, color: "blue" },
    /^\[(?=.*spec\.size: Invalid value: -2: )(?=.*spec\.color: Unsupported value: "blue": ).*\]$/,
  ],
];

/** The same for schemas of definitions: properties of spec → what is wrong with them. */
const badSchemas: [title: string, schema: unknown, said: RegExp][] = [
  [
    "without a type",
    { properties: { a: {} } },
    /openAPIV3Schema\.properties\[spec\]\.type: Required value: must not be empty for specified object fields/,
  ],
  ["with an array of anything", { type: "array" }, /properties\[spec\]\.items: Required value: must be specified/],
  [
    "with an unknown type",
    { type: "text" },
    /properties\[spec\]\.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"/,
  ],
  [
    "with unique items",
    { type: "array", uniqueItems: true, items: { type: "string" } },
    /properties\[spec\]\.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic/,
  ],
  [
    "with properties and additionalProperties",
    { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } },
    /properties\[spec\]\.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive/,
  ],
  [
    "with a default that does not fit",
    { type: "integer", default: "x" },
    /properties\[spec\]\.default: Invalid value: "string": .*in body must be of type integer: "string"/,
  ],
  [
    "with a type inside anyOf",
    { type: "object", properties: { a: { type: "string" } }, anyOf: [{ type: "object" }] },
    /properties\[spec\]\.anyOf\[0\]\.type: Forbidden: must be empty to be structural/,
  ],
  [
    "with a keyed list without keys",
    { type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } },
    /properties\[spec\]\.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map/,
  ],
  [
    "with an optional key",
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: { type: "object", properties: { a: { type: "string" } } },
    },
    /items\.properties\[a\]\.default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property/,
  ],
];

export const definitionsContract = topic("definitions of custom resources", (promises) => {
  promises("every broken rule of a schema is told in Kubernetes' words, and nothing is stored", async (target) => {
    const widget = await defineWidget(target, { schema: strict });
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
    const widget = await defineWidget(target, { schema: strict });
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
    const widget = await defineWidget(target, { schema: strict });
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
    "the status is a door of its own: the main one does not change it, and it changes nothing else",
    async (target) => {
      const widget = await defineWidget(target, { schema: strict, version: { subresources: { status: {} } } });
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
    const widget = await defineWidget(target, { schema: strict });
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
    const widget = await defineWidget(target, { schema: strict, version: { subresources: { status: {}, scale } } });
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
    const widget = await defineWidget(target, { schema: strict, version: { additionalPrinterColumns } });
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
