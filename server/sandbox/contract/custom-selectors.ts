import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { namesOf } from "@/server/sandbox/contract/samples";
import { crdsPath, defineWidget, widgetDefinition } from "@/server/sandbox/contract/widget";

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        color: { type: "string" },
        size: { type: "integer" },
        hot: { type: "boolean" },
        tags: { type: "array", items: { type: "string" } },
      },
    },
  },
};
const selectableFields = [".spec.color", ".spec.size", ".spec.hot"].map((jsonPath) => ({ jsonPath }));
const refusals: [jsonPath: string, said: string][] = [
  [".spec.weight", "is an invalid path: does not refer to a valid field"],
  [".spec.tags[0]", "is an invalid path: array notation is not allowed"],
  [
    ".spec.tags",
    "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
  ],
];

export const customSelectorsContract = topic("field selectors of custom resources", (promises) => {
  promises("custom resources are selected by their names, and by no field that nobody offers", async (target) => {
    const widget = await defineWidget(target, { schema });
    const path = widget.path(await target.bareNamespace());
    for (const name of ["a", "b"]) await target.send("POST", path, { body: widget.body(name) });
    expect(namesOf(await target.send("GET", `${path}?fieldSelector=metadata.name%3Db`))).toEqual(["b"]);
    const { status, message } = await target.send("GET", `${path}?fieldSelector=spec.color%3Dred`);
    expect(status).toBe(400);
    expect(message).toContain("field label not supported: spec.color");
  });

  promises(
    "a definition may offer fields to select by, for lists, watches and collections",
    async (target) => {
      const widget = await defineWidget(target, { schema, version: { selectableFields } });
      const path = widget.path(await target.bareNamespace());
      const specs = { a: { color: "red", size: 1 }, b: { color: "red", size: 2, hot: true }, c: {} };
      for (const [name, spec] of Object.entries(specs))
        await target.send("POST", path, { body: widget.body(name, { spec }) });
      const rows: [selector: string, names: string[]][] = [
        ["spec.color=red", ["a", "b"]],
        ["spec.color=red,spec.size!=1", ["b"]],
        ["spec.hot=true", ["b"]],
        ["spec.color=", ["c"]],
      ];
      for (const [selector, names] of rows) {
        const reply = await target.send("GET", `${path}?fieldSelector=${encodeURIComponent(selector)}`);
        expect(namesOf(reply), selector).toEqual(names);
      }
      const watch = await target.send("GET", `${path}?watch=true&timeoutSeconds=1&fieldSelector=spec.hot%3Dtrue`);
      expect(watch.text.match(/"name":"[abc]"/g)).toEqual(['"name":"b"']);
      await target.send("DELETE", `${path}?fieldSelector=spec.color%3Dred`);
      expect(namesOf(await target.send("GET", path))).toEqual(["c"]);
    },
    { since: 31 },
  );

  promises(
    "a definition may not offer what is no plain field of its schema",
    async (target) => {
      for (const [jsonPath, said] of refusals) {
        const body = widgetDefinition({ schema, version: { selectableFields: [{ jsonPath }] } });
        const { status, message } = await target.send("POST", `${crdsPath}?dryRun=All`, { body });
        expect({ jsonPath, status }).toEqual({ jsonPath, status: 422 });
        expect(message).toContain(
          `spec.versions[0].selectableFields[0].jsonPath: Invalid value: "${jsonPath}": ${said}`,
        );
      }
    },
    { since: 31 },
  );
});
