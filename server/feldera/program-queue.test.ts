import { expect, test } from "vitest";
import { pipelineSchema, type PipelineStatus } from "@/machines/feldera/pipeline.schema";
import type { KubernetesObject } from "@/server/kubernetes/object";
import { nextInQueue, queueOf } from "./program-queue";

/** A pipeline that has waited, or been compiled, since this second. */
function at(name: string, second: number, status: Partial<PipelineStatus> = {}): KubernetesObject {
  const program_status_since = `2020-01-01T00:00:0${second}Z`;
  return {
    apiVersion: "feldera.com/v1alpha1",
    kind: "Pipeline",
    metadata: { name, namespace: "streams", uid: name },
    spec: {},
    status: { program_status_since, ...status },
  };
}

const waits = (second: number, name = `waits-${second}`) => at(name, second);
const compiles = at("compiles", 0, { program_status: "CompilingSql" });
const compilesRust = at("compiles-rust", 0, { program_status: "CompilingRust" });
const sqlCompiled = at("sql-compiled", 0, { program_status: "SqlCompiled" });
const provisioned = at("provisioned", 0, { deployment_resources_status: "Provisioned" });
const unreadable = { ...waits(0, "unreadable"), spec: { program_code: 7 } };

// prettier-ignore
test.each([
  // what else there is                         compilers  its turn  before it
  ["nothing",          [],                              1, true,     0],
  ["an older one",     [waits(1)],                      1, false,    1],
  ["a younger one",    [waits(9)],                      1, true,     0],
  ["one just as old",  [waits(5, "a")],                 1, false,    1],
  ["a compiler busy",  [compiles],                      1, false,    1],
  ["one busy of two",  [compiles],                      2, true,     1],
  ["both are taken",   [compiles, waits(1)],            2, false,    2],
  ["the other stage",  [compilesRust, sqlCompiled],     1, true,     0],
  ["one that runs",    [provisioned],                   1, true,     0],
  ["one unreadable",   [unreadable],                    1, true,     0],
])("with %s, the turn of one that waits since second 5 comes oldest first", (_what, others, compilers, turn, before) => {
  const own = waits(5, "own");
  expect(queueOf(pipelineSchema.parse(own), [own, ...others], compilers)).toEqual({ turn, before });
});

test("a free compiler wakes the oldest of each stage, and none that cannot be read", () => {
  const all = [waits(3), waits(2), sqlCompiled, unreadable, provisioned];
  expect(nextInQueue(all).map(({ name }) => name)).toEqual(["waits-2", "sql-compiled"]);
});
