import { timestamp } from "@/machines/conditions";
import type { Pipeline, PipelineStatus } from "@/machines/feldera/pipeline.schema";
import { observed } from "@/machines/lifecycle";
import type { Plan } from "@/server/reconcile/plan";
import { deployedRuntimeConfig } from "./deployment-config";
import { deploymentAfter } from "./deployment-status";
import { storageConfigOf } from "./edit-rules";
import { combinedOf, noted } from "./noted-status";
import { conditionsAfter } from "./pipeline-conditions";
import type { Steps } from "./pipeline-steps";
import type { PipelineSeen } from "./pipeline.read";
import { coreHash } from "./program-hash";
import { programAfter } from "./program-status";
import { wishesOf, type Wishes } from "./wishes";

/** The whole status after this pass, and the steps that it records, the combined one among them. */
export function statusAfter(
  seen: PipelineSeen,
  steps: Steps,
  now: number,
): { status: PipelineStatus; taken: Plan["steps"] } {
  const { pipeline } = seen;
  const old = pipeline.status;
  const wishes = wishesOf(pipeline);
  const changed: PipelineStatus = {
    ...old,
    observedGeneration: pipeline.metadata.generation,
    deployment_resources_status: steps.resources.to,
    storage_status: steps.storage.to,
    program_status: steps.program.to,
    held_up: seen.heldUp === null ? undefined : { message: seen.heldUp, for_good: false },
    compiler_job: steps.program.from === steps.program.to ? (seen.jobUid ?? old.compiler_job) : undefined,
    ...runtimeAfter(seen, steps),
    ...storageAfter(seen, steps),
    ...dismissed(old, wishes, steps),
    ...deploymentAfter(seen, wishes, steps),
    ...programAfter(seen, steps),
  };
  const handled = handledAfter(pipeline, { ...changed.handled, ...adopted(wishes) }, steps);
  const whole = { ...changed, ...combinedOf(changed), handled, ...versionsAfter(pipeline, steps) };
  const dated = noted(old, whole, timestamp(now));
  const status = { ...dated, conditions: [...conditionsAfter(seen, dated, now)] };
  const both = { from: old.deployment_status, to: status.deployment_status, event: observed.type, actions: [] };
  return { status, taken: { combined: both, ...steps } };
}

function runtimeAfter({ report, pipeline }: PipelineSeen, { runtime }: Steps): Partial<PipelineStatus> {
  if (runtime.to === "Absent") {
    return { deployment_runtime_status: undefined, deployment_runtime_desired_status: undefined };
  }
  const { deployment_runtime_desired_status: before, deployment_initial: initial } = pipeline.status;
  // Until the process has spoken for the first time, it heads for what it was started as.
  const untold = runtime.to === "Unavailable" ? "Unavailable" : (before ?? initial);
  const desired = report?.kind === "told" ? report.desired : untold;
  const activated = desired === "Paused" || desired === "Running";
  return {
    deployment_runtime_status: runtime.to,
    deployment_runtime_desired_status: desired,
    ...(activated && { activated }),
  };
}

function storageAfter({ report, pipeline }: PipelineSeen, { storage }: Steps): Partial<PipelineStatus> {
  const { status } = pipeline;
  const forgotten = { activated: false, storage_config: undefined };
  if (storage.to !== "InUse") return { storage_status_details: undefined, ...(storage.to === "Cleared" && forgotten) };
  const told = report?.kind === "told" ? report.storage : null;
  return {
    storage_status_details: told ?? status.storage_status_details,
    storage_config: status.storage_config ?? storageConfigOf(deployedRuntimeConfig(pipeline)),
  };
}

function dismissed(old: PipelineStatus, wishes: Wishes, { resources }: Steps): Partial<PipelineStatus> {
  const drops = wishes.dismiss && resources.from === "Stopped";
  return { deployment_error: drops ? undefined : old.deployment_error };
}

function adopted({ handled }: Wishes): Pick<Wishes["handled"], "desired" | "initial" | "attempt"> {
  return { desired: handled.desired, initial: handled.initial, attempt: handled.attempt };
}

function handledAfter({ spec, status }: Pipeline, handled: Wishes["handled"], { resources }: Steps): Wishes["handled"] {
  const running = resources.to === "Provisioned" || resources.to === "Provisioning";
  const arrived = status.deployment_runtime_desired_status === spec.deployment.runtime;
  const waits = running && !arrived;
  return {
    ...handled,
    core: resources.from === "Stopped" ? coreHash(spec) : handled.core,
    runtime: waits ? handled.runtime : spec.deployment.runtime,
    request: waits ? handled.request : spec.deployment.request,
    // Honoured at once or never: neither data nor an error must be lost later by a wish that was uttered before it.
    clear: spec.clear,
    dismiss: spec.deployment.dismiss,
  };
}

function versionsAfter({ spec, status }: Pipeline, { resources }: Steps): Partial<PipelineStatus> {
  const { core } = status.handled;
  const edited = resources.from === "Stopped" && core !== "" && core !== coreHash(spec);
  return { version: status.version + (edited ? 1 : 0) };
}
