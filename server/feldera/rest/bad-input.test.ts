import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createRest, type Rest } from "./fixtures/rest";

let rest: Rest;
beforeAll(async () => void (rest = await createRest()));
beforeEach(() => rest.later());
afterAll(() => rest.stop());

const call: Rest["call"] = (...asked) => rest.call(...asked);

// prettier-ignore
test.each([
  ["POST",   "pipelines",               { name: "" },                                          400, "EmptyName"],
  ["POST",   "pipelines",               { name: "Upper_Case" },                                400, "NameDoesNotMatchPattern"],
  ["POST",   "pipelines",               { name: "x".repeat(300) },                             400, "TooLongName"],
  ["POST",   "pipelines",               "{ not json",                                          400, "InvalidRequestBody"],
  ["POST",   "pipelines",               { name: "a", colour: "red" },                          400, "InvalidRequestBody"],
  ["POST",   "pipelines",               { name: "a", program_code: "x".repeat(650_000) },      413, "PayloadTooLarge"],
  ["POST",   "pipelines",               { name: "a", program_code: "x".repeat(2_100_000) },    413, "PayloadTooLarge"],
  ["POST",   "pipelines",               { name: "a", runtime_config: { workers: 0 } },         400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", runtime_config: { env: { RUST_LOG: "" } } }, 400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", runtime_config: { env: { "A=B": "1" } } },  400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", runtime_config: { resources: { memory_mb_min: 2, memory_mb_max: 1 } } }, 400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", runtime_config: { resources: { storage_mb_max: 0 } } }, 400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", runtime_config: { resources: { service_account_name: "A B" } } }, 400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", runtime_config: { cpu_profiler: "yes" } }, 400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", runtime_config: "{}" },                   400, "InvalidRuntimeConfig"],
  ["POST",   "pipelines",               { name: "a", program_config: { profile: "fast" } },    400, "InvalidProgramConfig"],
  ["POST",   "pipelines",               { name: "a", program_config: 7 },                      400, "InvalidProgramConfig"],
  ["POST",   "pipelines",               { name: "a", description: "x".repeat(301) },           400, "TooLongDescription"],
  ["POST",   "pipelines",               { name: "a", tags: Array(51).fill("x") },              400, "TooManyTags"],
  ["POST",   "pipelines",               { name: "a", tags: ["good", "<b>"] },                  400, "InvalidTag"],
  ["POST",   "pipelines",               { name: "a", tags: ["x".repeat(51)] },                 400, "InvalidTag"],
  ["POST",   "pipelines",               { name: "-a" },                                        400, "NameDoesNotMatchPattern"],
  ["POST",   "pipelines",               {},                                                    400, "EmptyName"],
  ["POST",   "pipelines",               "[]",                                                  400, "InvalidRequestBody"],
  ["POST",   "pipelines",               "",                                                    400, "InvalidRequestBody"],
  ["POST",   "pipelines",               { name: "a", program_code: 7 },                        400, "InvalidRequestBody"],
  ["POST",   "pipelines",               { name: "a", program_code: "x".repeat(1_999_000) },    413, "PayloadTooLarge"],
  ["PATCH",  "pipelines/nobody",        { description: "" },                                   404, "UnknownPipelineName"],
  ["DELETE", "pipelines/nobody",        undefined,                                             404, "UnknownPipelineName"],
  ["GET",    "pipelines/nobody",        undefined,                                             404, "UnknownPipelineName"],
  ["PUT",    "pipelines/nobody",        { name: "somebody" },                                  400, "CannotRenameNonExistingPipeline"],
  ["POST",   "pipelines/nobody/start",  undefined,                                             404, "UnknownPipelineName"],
  ["GET",    "pipelines?selector=half", undefined,                                             400, "InvalidSelector"],
  ["GET",    "pipelines/%E0%A4%A",      undefined,                                             400, "InvalidPath"],
  ["POST",   "pipelines/a/explode",     undefined,                                             404, "UnknownEndpoint"],
] as const)("%s %s with bad input is answered with its code and changes nothing", async (method, path, body, code, error) => {
  const before = (await call("GET", "pipelines")).body;
  const answer = await call(method, path, body);
  expect([answer.status, answer.body.error_code]).toEqual([code, error]);
  expect((await call("GET", "pipelines")).body).toEqual(before);
});
