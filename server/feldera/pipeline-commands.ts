import type { Known } from "@/machines/facts";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";
import { resourcesMachine, type ResourcesFacts } from "@/machines/feldera/resources.machine";
import { runtimeMachine, type RuntimeFacts } from "@/machines/feldera/runtime.machine";
import { storageMachine } from "@/machines/feldera/storage.machine";
import { step, type Event } from "@/machines/lifecycle";
import type { Effect, Plan } from "@/server/reconcile/plan";
import { knownOf } from "./pipeline.known";
import type { PipelineSeen } from "./pipeline.read";
import { mayBeStandby } from "./standby-rule";
import { wishesOf, type RuntimeWish } from "./wishes";

type Ask = (seen: PipelineSeen, event: Event) => Record<string, unknown>;

/** What each command changes in the spec: wishes only. The next pass moves the states. */
const asks: Record<string, Ask> = {
  start: ({ pipeline }, event) =>
    // The same start again, while the first is under way, is the same wish.
    wishesOf(pipeline).desired === "Provisioned"
      ? {}
      : {
          deployment: {
            desired: "Provisioned",
            initial: initialOf(event),
            runtime: null,
            attempt: pipeline.spec.deployment.attempt + 1,
            // At once, not when it is provisioned: whoever waits for an early start must not take the old error for its own.
            ...(pipeline.status.deployment_error && { dismiss: pipeline.spec.deployment.dismiss + 1 }),
          },
        },
  stop: ({ pipeline }, event) =>
    isGraceful(pipeline, event)
      ? turnTo(pipeline, "Suspended")
      : { deployment: { desired: "Stopped", runtime: null, attempt: pipeline.spec.deployment.attempt + 1 } },
  dismissError: ({ pipeline }) => ({ deployment: { dismiss: pipeline.spec.deployment.dismiss + 1 } }),
  clear: ({ pipeline }) => (pipeline.status.storage_status === "InUse" ? { clear: pipeline.spec.clear + 1 } : {}),
  pause: ({ pipeline }) => turnTo(pipeline, "Paused"),
  resume: ({ pipeline }) => turnTo(pipeline, "Running"),
  activate: ({ pipeline }, event) => turnTo(pipeline, event.initial === "paused" ? "Paused" : "Running"),
};

/** Counted, because the process may have left by itself what it was asked for last. */
function turnTo({ spec: { deployment } }: Pipeline, runtime: RuntimeWish) {
  return { deployment: { runtime, request: deployment.request + 1 } };
}

const machines = { resources: resourcesMachine, storage: storageMachine, runtime: runtimeMachine };

const lifecycleOf: Record<string, keyof typeof machines> = {
  start: "resources",
  stop: "resources",
  dismissError: "resources",
  clear: "storage",
  pause: "runtime",
  resume: "runtime",
  activate: "runtime",
};

/** The plan of a command: a patch of the spec, or nothing where the machine refuses it or nothing would change. */
export function commandPlan(seen: PipelineSeen, event: Event): Plan {
  const lifecycle = lifecycleOf[event.type];
  const ask = asks[event.type];
  if (!lifecycle || !ask) return { steps: {}, effects: [], status: null, requeueAfterMs: null };
  const known = knownFor(seen, event);
  const from = stateIn(seen, lifecycle);
  const facts = known[lifecycle]?.facts ?? {};
  const { state, actions } = step(machines[lifecycle], { state: from, facts: facts as never }, event);
  const patch = actions.length > 0 ? ask(seen, event) : {};
  const effects: Effect[] = Object.keys(patch).length > 0 ? [{ type: "patchSpec", patch: { spec: patch } }] : [];
  return {
    steps: { [lifecycle]: { from, to: state, event: event.type, actions } },
    effects,
    status: null,
    requeueAfterMs: null,
  };
}

/** The facts of every lifecycle, with what the arguments of this very command add to them. */
export function knownFor(seen: PipelineSeen, event?: Event): Record<string, Known> {
  const known = knownOf(seen);
  if (!event) return known;
  const resources = withArgs(seen, event, known.resources);
  const runtime = withPending(seen, known.runtime);
  return {
    ...known,
    resources,
    runtime,
    combined: { ...known.combined, facts: { ...known.combined.facts, ...resources.facts, ...runtime.facts } },
  };
}

function withArgs(seen: PipelineSeen, event: Event, known: Known<ResourcesFacts>): Known<ResourcesFacts> {
  const { pipeline } = seen;
  const wishes = wishesOf(pipeline);
  const standby = event.type === "start" && initialOf(event) === "Standby";
  return {
    ...known,
    facts: {
      ...known.facts,
      initialFits: wishes.desired === "Stopped" || event.initial === undefined || initialOf(event) === wishes.initial,
      errorHeld: event.type === "start" && event.dismiss_error === false && known.facts.errorKept,
      standbyRefused: standby && !mayBeStandby(pipeline),
      checkpointRefused:
        event.type === "stop" && event.force === false && isGraceful(pipeline, event) && !canCheckpoint(seen),
    },
  };
}

/** What was asked for and not passed on yet counts as where the process heads: a stop must not be undone by a resume. */
function withPending({ pipeline }: PipelineSeen, known: Known<RuntimeFacts>): Known<RuntimeFacts> {
  const { runtime } = wishesOf(pipeline);
  if (!runtime || known.facts.heading === "Unavailable") return known;
  return { ...known, facts: { ...known.facts, heading: runtime } };
}

function stateIn({ pipeline: { status } }: PipelineSeen, lifecycle: keyof typeof machines): string {
  const states = {
    resources: status.deployment_resources_status,
    storage: status.storage_status,
    runtime: status.deployment_runtime_status ?? "Absent",
  };
  return states[lifecycle];
}

const initials: Record<string, "Running" | "Paused" | "Standby"> = {
  running: "Running",
  paused: "Paused",
  standby: "Standby",
};

function initialOf({ initial }: Event): "Running" | "Paused" | "Standby" {
  return (typeof initial === "string" ? initials[initial] : undefined) ?? "Running";
}

function isGraceful({ status }: PipelineSeen["pipeline"], { force }: Event): boolean {
  return force !== true && status.deployment_resources_status === "Provisioned";
}

function canCheckpoint({ pipeline: { status } }: PipelineSeen): boolean {
  const { deployment_runtime_status: runtime, deployment_runtime_desired_status: heading } = status;
  return runtime !== "Unavailable" && (heading === "Paused" || heading === "Running" || heading === "Suspended");
}
