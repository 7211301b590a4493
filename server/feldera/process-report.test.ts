import { expect, test } from "vitest";
import { seenAt } from "./fixtures/places";
import type { Place } from "./fixtures/request-table";
import { askProcess, reportOf, type ProcessReport } from "./process-report";
import { reportedOf } from "./reported-status";

const provisioned: Place = {
  resources: "Provisioned",
  desired: "Provisioned",
  storage: "InUse",
  program: "Success",
  error: false,
  initial: "Running",
  synchronised: false,
  activated: true,
  runtime: null,
};

/** The runtime status that a report means, so long after the process was provisioned. */
function meant(report: ProcessReport, { was, afterMs }: { was: string; afterMs: number }): string {
  const seen = seenAt({ ...provisioned, runtime: { status: was, desired: "Running" } });
  seen.pipeline.status.deployment_resources_status_since = new Date(0).toISOString();
  return reportedOf({ ...seen, report, now: afterMs }, "Provisioned");
}

const early = { was: "Initializing", afterMs: 19_999 };
const late = { was: "Initializing", afterMs: 20_000 };
const oncePaused = { was: "Paused", afterMs: 1_000 };

const json = (status: number, body: unknown) => reportOf({ status, body: JSON.stringify(body) });
const silence = await askProcess(() => Promise.reject(new Error("connection refused")));
const paused = { runtime_status: "Paused", runtime_desired_status: "Running" };

// prettier-ignore
test.each([
  // the answer                  what it is                                      early           late           after another status
  ["a status",                   json(200, paused),                              "Paused",       "Paused",      "Paused"],
  ["no answer in time",          silence,                                        "Initializing", "Unavailable", "Unavailable"],
  ["words that are no JSON",     reportOf({ status: 200, body: "<html>" }),      "Initializing", "Unavailable", "Unavailable"],
  ["a gateway's refusal",        reportOf({ status: 502, body: "Bad Gateway" }), "Initializing", "Unavailable", "Unavailable"],
  ["an unreadable status",       json(200, { runtime_status: "Asleep" }),        "Unavailable",  "Unavailable", "Unavailable"],
  ["503",                        json(503, {}),                                  "Unavailable",  "Unavailable", "Unavailable"],
  ["503 of one that comes up",   json(503, refusal("Initializing")),             "Initializing", "Initializing", "Initializing"],
  ["503 of one that suspended",  json(503, refusal("Suspended")),                "Suspended",    "Suspended",   "Suspended"],
] as const)("%s never stops the pipeline, and is told as what it means", (_answer, report, ...meanings) => {
  expect(report.kind).not.toBe("failed");
  expect([early, late, oncePaused].map((at) => meant(report, at))).toEqual(meanings);
});

test.each([
  ["its own error", json(500, refusal("RuntimeError.WorkerPanic")), "RuntimeError.WorkerPanic"],
  ["an error of another form", json(500, { panicked: true }), "RuntimeError"],
  ["a refusal", json(404, refusal("NotFound")), "NotFound"],
])("a process that answers %s has failed for good", (_answer, report, code) => {
  expect(report).toMatchObject({ kind: "failed", error: { error_code: code } });
});

function refusal(error_code: string) {
  return { message: "it said so", error_code, details: {} };
}
