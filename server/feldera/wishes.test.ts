import { expect, test } from "vitest";
import { pipelineSchema } from "@/machines/feldera/pipeline.schema";
import { wishesOf } from "./wishes";

type Wished = Partial<Record<"desired" | "initial" | "attempt", unknown>>;

/** A pipeline that was started as Running and is this far; its spec says so much more. */
function initialOf(resources: string, deployment: Wished): string {
  const started = { desired: "Provisioned", initial: "Running", attempt: 1 };
  const pipeline = pipelineSchema.parse({
    metadata: { name: "p", namespace: "streams" },
    spec: { deployment: { ...started, ...deployment } },
    status: {
      deployment_resources_status: resources,
      deployment_resources_desired_status: "Provisioned",
      deployment_initial: "Running",
      handled: started,
    },
  });
  return wishesOf(pipeline).initial;
}

// prettier-ignore
test.each([
  // resources      what the spec says since                       starts as
  ["Stopped",      { initial: "Paused" },                          "Running"],
  ["Provisioning", { initial: "Paused" },                          "Running"],
  ["Provisioned",  { initial: "Paused" },                          "Running"],
  ["Provisioned",  { initial: "Paused", attempt: 2 },              "Running"],
  // A stop and another start, which no pass has looked at yet.
  ["Stopped",      { initial: "Paused", attempt: 3 },              "Paused"],
])("%s, with a start wanted and then %o, it starts as %s", (resources, deployment, expected) => {
  expect(initialOf(resources, deployment)).toBe(expected);
});
