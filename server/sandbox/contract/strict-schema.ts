/** The schema of a custom resource that has a rule of every kind. */
export const strictSchema = {
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
