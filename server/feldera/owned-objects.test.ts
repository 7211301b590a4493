import { expect, test } from "vitest";
import { pipelineSchema } from "@/machines/feldera/pipeline.schema";
import { testOptions } from "./fixtures/pipelines";
import { statefulSetOf } from "./owned-objects";

// prettier-ignore
test.each([
  // asked for                                     requests                          limits
  [{},                                             { cpu: "50m", memory: "64Mi" },   undefined],
  [{ cpu_cores_min: 2, memory_mb_min: 512 },       { cpu: "2000m", memory: "512Mi" }, undefined],
  [{ cpu_cores_max: 2, memory_mb_max: 512 },       { cpu: "50m", memory: "64Mi" },   { cpu: "2000m", memory: "512Mi" }],
  // A request above its limit is refused by the API server.
  [{ cpu_cores_max: 0.01, memory_mb_max: 32 },     { cpu: "10m", memory: "32Mi" },   { cpu: "10m", memory: "32Mi" }],
])("with %o the process asks for %o and may take %o", (resources, requests, limits) => {
  const metadata = { name: "p", namespace: "streams" };
  const pipeline = pipelineSchema.parse({ metadata, spec: { runtime_config: { resources } } });
  expect(statefulSetOf(pipeline, testOptions).spec).toMatchObject({
    template: { spec: { containers: [{ resources: { requests, ...(limits && { limits }) } }] } },
  });
});
