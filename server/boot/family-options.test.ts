import { expect, test } from "vitest";
import { pipelineSchema } from "@/machines/feldera/pipeline.schema";
import { parseEnv } from "@/server/env";
import { compileJobObject, configMapOf, programConfigMapOf, statefulSetOf } from "@/server/feldera/owned-objects";
import type { KubernetesObject } from "@/server/kubernetes/object";
import { silentLog } from "@/server/observability/log";
import { familyOptions } from "./family-options";

const pipeline = pipelineSchema.parse({
  metadata: { name: "orders", namespace: "streams", uid: "u-1" },
  spec: { program_code: "CREATE TABLE t (id INT);" },
});

/** What a pipeline's objects are made of, with these options given. */
function madeWith(args: readonly string[]) {
  const { feldera } = familyOptions(parseEnv({}, args), silentLog);
  const version = 3;
  return {
    compiler: containerOf(compileJobObject(pipeline, { stage: "sql", version }, feldera)),
    program: Object.keys(programConfigMapOf(pipeline, version, feldera).data ?? {}),
    process: containerOf(statefulSetOf(pipeline, feldera)),
    config: Object.keys(configMapOf(pipeline, feldera).data ?? {}),
  };
}

type Container = { image: string; command?: string[]; args?: string[]; env?: { name: string; value: string }[] };

function containerOf({ spec }: KubernetesObject): Container | undefined {
  // Of a Job or a StatefulSet: both hold the template of a pod.
  const { template } = spec as { template: { spec: { containers: Container[] } } };
  return template.spec.containers[0];
}

const sources = ["program.sql", "udf.rs", "udf.toml", "config.json"];

test("a compiler's image replaces the stand-in by its name alone, and the process stays as it is", () => {
  const { compiler, program, process, config } = madeWith(["--feldera-compiler-image", "registry.example/compiler:1"]);
  expect(compiler).toMatchObject({ image: "registry.example/compiler:1", args: ["sql"] });
  expect(compiler).not.toHaveProperty("command");
  expect(compiler?.env).toEqual([
    { name: "FELDERA_PIPELINE_ID", value: "u-1" },
    { name: "FELDERA_PIPELINE_NAME", value: "orders" },
    { name: "FELDERA_PROGRAM_VERSION", value: "3" },
  ]);
  expect(program).toEqual(sources);
  expect(process).toMatchObject({ image: "localhost/node:20", command: ["node", "/config/pipeline.mjs"] });
  expect(config).toEqual(["config.json", "pipeline.mjs"]);
});

test("a process's image replaces the stand-in by its name alone, and the compiler stays as it is", () => {
  const { compiler, program, process, config } = madeWith(["--feldera-pipeline-image", "registry.example/pipeline:1"]);
  expect(process).toMatchObject({ image: "registry.example/pipeline:1" });
  expect(process).not.toHaveProperty("command");
  expect(config).toEqual(["config.json"]);
  expect(compiler).toMatchObject({ image: "localhost/node:20", command: ["node", "/program/sql-compiler.mjs"] });
  expect(program).toEqual([...sources, "sql-compiler.mjs"]);
});
