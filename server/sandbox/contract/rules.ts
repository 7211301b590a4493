import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { crdsPath, defineWidget, widgetDefinition } from "@/server/sandbox/contract/widget";

const specWith = (rules: readonly object[], properties: object = {}) => ({
  type: "object",
  properties: {
    spec: {
      type: "object",
      "x-kubernetes-validations": rules,
      properties: {
        replicas: { type: "integer" },
        max: { type: "integer" },
        name: { type: "string", maxLength: 20 },
        tags: { type: "array", maxItems: 10, items: { type: "string", maxLength: 20 } },
        ...properties,
      },
    },
  },
});

/** Rule, a spec that holds, a spec that does not. */
const rows: [rule: string, holds: object, breaks: object][] = [
  ["self.replicas <= self.max", { replicas: 1, max: 2 }, { replicas: 3, max: 2 }],
  ["!has(self.name) || self.name.startsWith('a')", {}, { name: "b" }],
  ["has(self.name) ? self.replicas > 0 : true", { name: "a", replicas: 1 }, { name: "a", replicas: 0 }],
  ["size(self.tags) == 2", { tags: ["a", "b"] }, { tags: ["a"] }],
  ["self.tags.all(t, t.matches('^[a-z]+$'))", { tags: ["a"] }, { tags: ["a", "B"] }],
  ["self.tags.exists(t, t == 'x') && !('y' in self.tags)", { tags: ["x"] }, { tags: ["x", "y"] }],
  ["self.tags.filter(t, t != 'x').map(t, t + '!').exists(t, t == 'a!')", { tags: ["x", "a"] }, { tags: ["x"] }],
  ["(self.replicas * 2 + 1) % 5 == 0 || self.max / 2 == 3", { replicas: 2, max: 0 }, { replicas: 1, max: 8 }],
  ["self.name.size() > 2 && self.name.endsWith('z') && self.name.contains('y')", { name: "xyz" }, { name: "xz" }],
];

export const rulesContract = topic("rules in schemas", (promises) => {
  promises(
    "a rule decides over the object",
    async (target) => {
      const namespace = await target.bareNamespace();
      for (const [rule, holds, breaks] of rows) {
        const widget = await defineWidget(target, { schema: specWith([{ rule, message: "no" }]) });
        const send = async (spec: object) =>
          target.send("POST", `${widget.path(namespace)}?dryRun=All`, { body: widget.body("w", { spec }) });
        expect({ rule, status: (await send(holds)).status }).toEqual({ rule, status: 201 });
        const refused = await send(breaks);
        expect({ rule, status: refused.status }).toEqual({ rule, status: 422 });
        expect(refused.message).toMatch(/spec: Invalid value: ("object"|{.*}|.*): no$/);
      }
    },
    { since: 25 },
  );

  promises(
    "a rule without a message quotes itself",
    async (target) => {
      const widget = await defineWidget(target, { schema: specWith([{ rule: "self.replicas <= 3" }]) });
      const namespace = await target.bareNamespace();
      const { message } = await target.send("POST", widget.path(namespace), {
        body: widget.body("w", { spec: { replicas: 4 } }),
      });
      expect(message).toContain("failed rule: self.replicas <= 3");
    },
    { since: 25 },
  );

  promises(
    "a rule that compares with the old value holds on updates only",
    async (target) => {
      const name = {
        type: "string",
        "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "name is immutable" }],
      };
      const widget = await defineWidget(target, { schema: specWith([], { name }) });
      const namespace = await target.bareNamespace();
      expect(
        (await target.send("POST", widget.path(namespace), { body: widget.body("w", { spec: { name: "a" } }) })).status,
      ).toBe(201);
      const refused = await target.send("PATCH", widget.path(namespace, "w"), { body: { spec: { name: "b" } } });
      expect(refused.message).toMatch(/spec\.name: Invalid value: "(string|b)": name is immutable$/);
      expect(
        (await target.send("PATCH", widget.path(namespace, "w"), { body: { spec: { replicas: 1 } } })).status,
      ).toBe(200);
    },
    { since: 25 },
  );

  promises(
    "a rule that does not compile makes the definition invalid and is pointed at",
    async (target) => {
      const said = async (rule: string) =>
        (
          await target.send("POST", `${crdsPath}?dryRun=All`, {
            body: widgetDefinition({ schema: specWith([{ rule }]) }),
          })
        ).message;
      expect(await said("self.missing == 1")).toContain("undefined field 'missing'");
      expect(await said("frobnicate(self.replicas)")).toContain("undeclared reference to 'frobnicate'");
      expect(await said("self.name > 1")).toContain("found no matching overload for '_>_' applied to '(string, int)'");
      expect(await said("self.replicas")).toContain("must evaluate to a bool");
      expect(await said("self.replicas >")).toContain("Syntax error");
    },
    { since: 25 },
  );

  promises(
    "rules are not run over an object whose types are wrong",
    async (target) => {
      const widget = await defineWidget(target, { schema: specWith([{ rule: "self.replicas <= 3" }]) });
      const namespace = await target.bareNamespace();
      const { message } = await target.send("POST", widget.path(namespace), {
        body: widget.body("w", { spec: { replicas: "x" } }),
      });
      expect(message).toContain(
        "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      );
    },
    { since: 25 },
  );
});
