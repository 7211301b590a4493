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

const since = "2026-01-01T00:00:00.000Z";

test("the desired status stands beside the actual one, with its own time, for every lifecycle that has one", async () => {
  await createPipeline(
    stage,
    { namespace: "shop", name: "orders" },
    {
      status: {
        deployment_status: "Running",
        deployment_desired_status: "Suspended",
        deployment_desired_status_since: since,
        deployment_resources_status: "Provisioned",
        deployment_resources_desired_status: "Provisioned",
        deployment_resources_desired_status_since: since,
        deployment_runtime_status: "Running",
        deployment_runtime_desired_status: "Suspended",
        deployment_runtime_desired_status_since: since,
      },
    },
  );
  const { lifecycles } = await stage.as().resource.get({ kind: "feldera.pipeline", namespace: "shop", name: "orders" });
  expect(lifecycles.map(({ lifecycle, state, desired }) => [lifecycle, state, desired])).toEqual([
    ["combined", "Running", { state: "Suspended", since }],
    ["resources", "Provisioned", { state: "Provisioned", since }],
    ["runtime", "Running", { state: "Suspended", since }],
    ["program", "Pending", null],
    ["storage", "Cleared", null],
  ]);
});
