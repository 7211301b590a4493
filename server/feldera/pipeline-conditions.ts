import { setCondition, type Condition } from "@/machines/conditions";
import type { PipelineStatus } from "@/machines/feldera/pipeline.schema";
import { computeOf } from "./compute-state";
import { editsCondition } from "./waiting-edits";
import type { PipelineSeen } from "./pipeline.read";
import { programErrorText } from "./program-error-text";

const answering = new Set(["Running", "Paused", "Standby", "Initializing", "Bootstrapping", "Replaying"]);

/** Ready: the process is there and answers. Compiled: the program can be run. EditsApplied: no edit waits. */
export function conditionsAfter(seen: PipelineSeen, status: PipelineStatus, now: number): readonly Condition[] {
  const observedGeneration = seen.pipeline.metadata.generation;
  const ready = answering.has(status.deployment_status);
  const withReady = setCondition(
    status.conditions,
    {
      type: "Ready",
      status: ready ? "True" : "False",
      reason: status.deployment_status,
      message: ready ? "the pipeline process answers" : whyNot(seen, status),
      observedGeneration,
    },
    now,
  );
  const compiled = status.program_status === "Success";
  const withCompiled = setCondition(
    withReady,
    {
      type: "Compiled",
      status: compiled ? "True" : "False",
      reason: status.program_status,
      message: `the program is ${status.program_status}${programErrorText(status)}`,
      observedGeneration,
    },
    now,
  );
  return setCondition(withCompiled, { ...editsCondition(seen.pipeline.spec, status), observedGeneration }, now);
}

function whyNot(seen: PipelineSeen, status: PipelineStatus): string {
  if (status.deployment_error) return status.deployment_error.message;
  if (status.deployment_status === "Provisioning") return computeOf(seen).evidence.sentence;
  if (status.deployment_status === "Unavailable" && seen.report?.kind === "silent") {
    return [seen.report.reason, ...seen.warnings.map(({ sentence }) => sentence)].join("; ");
  }
  return `the pipeline is ${status.deployment_status}`;
}
