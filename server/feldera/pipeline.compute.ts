import { programMachine } from "@/machines/feldera/program.machine";
import { resourcesMachine } from "@/machines/feldera/resources.machine";
import { runtimeMachine } from "@/machines/feldera/runtime.machine";
import { storageMachine } from "@/machines/feldera/storage.machine";
import { observed, step, type Event } from "@/machines/lifecycle";
import type { Plan, Step } from "@/server/reconcile/plan";
import { commandPlan } from "./pipeline-commands";
import { effectsOf } from "./pipeline-effects";
import { statusAfter } from "./pipeline-status";
import type { Steps } from "./pipeline-steps";
import { knownOf } from "./pipeline.known";
import type { PipelineSeen } from "./pipeline.read";
import { reportedOf } from "./reported-status";
import { withoutEmpty } from "./without-empty";

/** One pass over a pipeline, or what a command would change. */
export function computePipeline(seen: PipelineSeen, event: Event, now: number): Plan {
  return event.type === observed.type ? observe(seen, now) : commandPlan(seen, event);
}

function observe(seen: PipelineSeen, now: number): Plan {
  const steps = stepsOf(seen);
  const { status, taken } = statusAfter(seen, steps, now);
  const { program, ...others } = taken;
  return {
    // A machine that rests takes no step.
    steps: isCompilable(seen) && program ? { ...others, program } : others,
    effects: effectsOf(seen, steps, status),
    status: withoutEmpty(status),
    requeueAfterMs: againInMs(seen, steps),
  };
}

/**
 * Each machine takes one step, the resources first: storage is taken into use with the first of them, the process is
 * there only while they are provisioned, and a program is compiled only while they are stopped.
 */
function stepsOf(seen: PipelineSeen): Steps {
  const known = knownOf(seen);
  const { status } = seen.pipeline;
  const resources = taking(
    status.deployment_resources_status,
    step(resourcesMachine, { state: status.deployment_resources_status, facts: known.resources.facts }, observed),
  );
  const afterwards = { resources: resources.to };
  const storage = taking(
    status.storage_status,
    step(storageMachine, { state: status.storage_status, facts: { ...known.storage.facts, ...afterwards } }, observed),
    afterwards,
  );
  const before = status.deployment_runtime_status ?? "Absent";
  const told = { reported: reportedOf(seen, resources.to) };
  const runtime = taking(
    before,
    step(runtimeMachine, { state: before, facts: { ...known.runtime.facts, ...told } }, observed),
    told,
  );
  const resting: Steps["program"] = {
    from: status.program_status,
    to: status.program_status,
    event: observed.type,
    actions: [],
  };
  const program = isCompilable(seen)
    ? taking(
        status.program_status,
        step(programMachine, { state: status.program_status, facts: known.program.facts }, observed),
      )
    : resting;
  return { resources, storage, runtime, program };
}

function isCompilable({ pipeline }: PipelineSeen): boolean {
  return pipeline.status.deployment_resources_status === "Stopped";
}

function taking<From extends string, To extends string, Action extends string>(
  from: From,
  { state, actions }: { state: To; actions: Action[] },
  facts?: Record<string, unknown>,
): Step & { from: From; to: To; actions: Action[] } {
  return { from, to: state, event: observed.type, actions, ...(facts && { facts }) };
}

/** The runner's own intervals; what can be watched wakes the pass before they are over. */
const intervals: Record<Steps["resources"]["to"], number | null> = {
  Stopped: null,
  Provisioning: 1_000,
  Provisioned: 2_500,
  Stopping: 1_000,
};

/** After a request to the process, its answer is looked at soon. */
const AFTER_REQUEST_MS = 100;

/** Its Job and its pod are watched; that it does not start is seen by looking. */
const COMPILER_LOOK_MS = 30_000;

function againInMs(seen: PipelineSeen, { resources, runtime, program }: Steps): number | null {
  // What was not done by this pass is done by the next one, which its own status write wakes.
  if (runtime.actions.includes("passOn")) return AFTER_REQUEST_MS;
  const waits = program.to === "CompilingSql" || program.to === "CompilingRust";
  if (waits && seen.heldUp === null) return seen.job.state === "absent" ? 1_000 : COMPILER_LOOK_MS;
  return intervals[resources.to];
}
