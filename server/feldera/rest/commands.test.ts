import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createRest, failed, provisioned, type Rest, stopping } from "./fixtures/rest";

let rest: Rest;
beforeAll(async () => void (rest = await createRest()));
beforeEach(() => rest.later());
afterAll(() => rest.stop());

const call: Rest["call"] = (...asked) => rest.call(...asked);
const at: Rest["at"] = (status) => rest.at(status);

// prettier-ignore
test.each([
  // where it is                                              request                            answer
  [{},                                                        "start",                           202, null],
  [{ program_status: "Pending" },                             "start",                           202, null],
  [{ program_status: "SqlError" },                            "start",                           400, "CannotStartWithCompilationError"],
  [{ storage_status: "Clearing" },                            "start",                           400, "CannotStartWhileClearingStorage"],
  [{},                                                        "start?initial=standby",           400, "InitialStandbyNotAllowed"],
  [{},                                                        "start?initial=asleep",            405, "UnsupportedPipelineAction"],
  [{ ...failed },                                             "start",                           202, null],
  [{ ...failed },                                             "start?dismiss_error=false",       400, "CannotStartWithUndismissedError"],
  [{ ...stopping },                                           "start",                           400, "IllegalPipelineAction"],
  [{ ...provisioned },                                        "start?initial=running",           202, null],
  [{ ...provisioned },                                        "start?initial=paused",            400, "InitialImmutableUnlessStopped"],
  [{},                                                        "start?dismiss_error=perhaps",     400, "InvalidQueryParam"],
  [{},                                                        "stop",                            202, null],
  [{ ...provisioned },                                        "stop?force=gently",               400, "InvalidQueryParam"],
  [{ ...stopping },                                           "stop",                            202, null],
  [{ ...provisioned },                                        "stop?force=true",                 202, null],
  [{ ...provisioned },                                        "stop",                            202, null],
  [{ ...provisioned, deployment_runtime_status: "Unavailable",
     deployment_runtime_desired_status: "Unavailable" },      "stop",                            503, "PipelineUnavailable"],
  [{ ...provisioned, deployment_runtime_status: "Standby",
     deployment_runtime_desired_status: "Standby" },          "stop",                            400, "InvalidTransition"],
  [{},                                                        "clear",                           202, null],
  [{ storage_status: "InUse" },                               "clear",                           202, null],
  [{ storage_status: "Clearing" },                            "clear",                           202, null],
  [{ ...provisioned },                                        "clear",                           400, "StorageStatusImmutableUnlessStopped"],
  [{ ...stopping },                                           "clear",                           400, "StorageStatusImmutableUnlessStopped"],
  [{},                                                        "pause",                           503, "PipelineInteractionNotDeployed"],
  [{},                                                        "resume",                          503, "PipelineInteractionNotDeployed"],
  [{},                                                        "activate",                        503, "PipelineInteractionNotDeployed"],
  [{},                                                        "activate?initial=standby",        400, "InvalidActivateStatus"],
  [{ ...provisioned, deployment_runtime_status: "Unavailable" }, "pause",                        503, "PipelineUnavailable"],
  // Its pod has no address: it cannot be asked.
  [{ ...provisioned },                                        "pause",                           503, "PipelineInteractionUnreachable"],
  [{ ...provisioned },                                        "resume",                          503, "PipelineInteractionUnreachable"],
  [{ ...provisioned },                                        "activate",                        503, "PipelineInteractionUnreachable"],
  [{},                                                        "dismiss_error",                   200, null],
  [{ ...failed },                                             "dismiss_error",                   200, null],
  [{ ...stopping, ...failed },                                "dismiss_error",                   400, "DismissErrorRestrictedToFullyStopped"],
] as const)("with %o, %s is answered %i %s", async (status, request, code, error) => {
  const name = await at(status);
  const { body: before } = await call("GET", `pipelines/${name}`);
  const answer = await call("POST", `pipelines/${name}/${request}`);
  expect([answer.status, answer.body.error_code ?? null]).toEqual([code, error]);
  if (error) expect((await call("GET", `pipelines/${name}`)).body).toEqual(before);
});

test("a refusal carries the details that a program can act on", async () => {
  expect((await call("POST", `pipelines/${await at({ ...stopping })}/start`)).body.details).toMatchObject({
    status: "Stopping",
    current_desired_status: "Stopped",
    new_desired_status: "Provisioned",
    hint: expect.any(String),
  });
  expect((await call("POST", `pipelines/${await at({ ...provisioned })}/clear`)).body.details).toMatchObject({
    resources_status: "Provisioned",
    resources_desired_status: "Provisioned",
    current_status: "InUse",
    new_status: "Clearing",
  });
});

// prettier-ignore
test.each([
  [{ ...stopping },                 "start",                     /current Stopping, desired Stopped\) .*Provisioned.*Wait until it is stopped/],
  [{ ...failed },                   "start?dismiss_error=false", /not dismissed; dismiss it, or start with dismiss_error/],
  [{ storage_status: "Clearing" },  "start",                     /being cleared; wait until it is Cleared/],
  [{ program_status: "RustError" }, "start",                     /failed to compile; an edit compiles it again/],
  [{ ...provisioned },              "start?initial=paused",      /initial status cannot be changed unless it is stopped/],
  [{},                              "pause",                     /^Pause is not possible: the pipeline is Stopped, and has no process to ask\.$/],
  [{ ...stopping },                 "activate",                  /^Activate is not possible: the pipeline is Stopping, and has no process to ask\.$/],
  [{},                              "start?initial=standby",     /storage\.backend\.name to be "file" and storage\.backend\.config\.sync/],
] as const)("with %o, %s is refused in a sentence that says what to do", async (status, request, sentence) => {
  const { body } = await call("POST", `pipelines/${await at(status)}/${request}`);
  expect(body.message).toMatch(sentence);
});

// prettier-ignore
test.each([
  ["GET",    ""],
  ["PATCH",  ""],
  ["DELETE", ""],
  ["POST",   "/start"],
  ["POST",   "/stop"],
  ["POST",   "/clear"],
  ["POST",   "/pause"],
  ["POST",   "/dismiss_error"],
])("%s nobody%s is told to be unknown in the same words", async (method, action) => {
  expect(await call(method, `pipelines/nobody${action}`, method === "PATCH" ? {} : undefined)).toEqual({
    status: 404,
    body: {
      message: 'There is no pipeline "nobody".',
      error_code: "UnknownPipelineName",
      details: { pipeline_name: "nobody" },
    },
  });
});
