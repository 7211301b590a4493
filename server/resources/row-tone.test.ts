import { afterAll, beforeAll, expect, test } from "vitest";
import { createPipeline } from "./fixtures/feldera";
import { createNamespace } from "./fixtures/firebolt";
import { createStage, type Stage } from "./fixtures/stage";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage({ reads: "memory" });
  await createNamespace(stage, "shop");
});
afterAll(() => stage.stop());

test.each([
  // what runs      what was compiled   how the row looks
  ["Stopped", "Success", "idle"],
  ["Stopped", "SqlError", "bad"],
  ["Stopped", "CompilingSql", "busy"],
] as const)("%s with a program in %s looks %s", async (state, program, tone) => {
  const ref = { namespace: "shop", name: `p-${program.toLowerCase()}` };
  await createPipeline(stage, ref, {
    status: { deployment_status: state, deployment_resources_status: state, program_status: program },
  });
  const { row } = await stage.as().resource.get({ kind: "feldera.pipeline", ...ref });
  expect([row.state, row.tone]).toEqual([state, tone]);
});
