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
  return [
    readyCondition(status, whyNot(seen, status)),
    compiledCondition(status),
    editsCondition(seen.pipeline.spec, status),
  ].reduce<readonly Condition[]>(
    (conditions, told) => setCondition(conditions, { ...told, observedGeneration }, now),
    status.conditions,
  );
}

/** A condition as it is told, without what is noted of every one. */
type Told = Omit<Condition, "lastTransitionTime" | "observedGeneration">;

export function readyCondition({ deployment_status }: PipelineStatus, whyNot: string): Told {
  const ready = answering.has(deployment_status);
  const message = ready ? "the pipeline process answers" : whyNot;
  return { type: "Ready", status: ready ? "True" : "False", reason: deployment_status, message };
}

export function compiledCondition(status: PipelineStatus): Told {
  const { program_status, held_up } = status;
  const why = held_up && status.deployment_resources_status === "Stopped" ? `: ${held_up.message}` : "";
  return {
    type: "Compiled",
    status: program_status === "Success" ? "True" : "False",
    reason: program_status,
    message: `the program is ${program_status}${why || programErrorText(status)}`,
  };
}

function whyNot(seen: PipelineSeen, status: PipelineStatus): string {
  if (status.deployment_error) return status.deployment_error.message;
  if (status.deployment_status === "Provisioning") return computeOf(seen).evidence.sentence;
  if (status.deployment_status === "Unavailable" && seen.report?.kind === "silent") {
    return [seen.report.reason, ...seen.warnings.map(({ sentence }) => sentence)].join("; ");
  }
  return `the pipeline is ${status.deployment_status}`;
}
