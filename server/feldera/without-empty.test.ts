import { expect, test } from "vitest";
import { withoutEmpty } from "./without-empty";

test("empty texts go where a schema would refuse them, and stay where nobody but the pipeline knows what they mean", () => {
  expect(
    withoutEmpty({
      description: "",
      env: { A: "", B: "b" },
      tags: ["x"],
      messages: [{ message: "", warning: false }],
      program_info: { udf_stubs: "", input_connectors: { "t.c": { password: "" } } },
      storage: { backend: { name: "", config: { prefix: "" } } },
    }),
  ).toEqual({
    env: { B: "b" },
    tags: ["x"],
    messages: [{ warning: false }],
    program_info: { udf_stubs: "", input_connectors: { "t.c": { password: "" } } },
    storage: { backend: { config: { prefix: "" } } },
  });
});
