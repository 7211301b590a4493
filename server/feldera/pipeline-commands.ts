import type { Known } from "@/machines/facts";
import { resourcesMachine, type ResourcesFacts } from "@/machines/feldera/resources.machine";
import { runtimeMachine } from "@/machines/feldera/runtime.machine";
import { storageMachine } from "@/machines/feldera/storage.machine";
import { step, type Event } from "@/machines/lifecycle";
import type { Effect, Plan } from "@/server/reconcile/plan";
import { knownOf } from "./pipeline.known";
import type { PipelineSeen } from "./pipeline.read";

type Ask = (seen: PipelineSeen, event: Event) => Record<string, unknown>;

/** What each command changes in the spec: wishes only. The next pass moves the states. */
const asks: Record<string, Ask> = {
  start: ({ pipeline }, event) => ({
    deployment: {
      desired: "Provisioned",
      initial: initialOf(event),
      runtime: null,
      // The same start again, while the first is under way, is the same wish.
      attempt: pipeline.spec.deployment.attempt + (isWanted(pipeline) ? 0 : 1),
    },
  }),
  stop: ({ pipeline }, event) =>
    isGraceful(pipeline, event)
      ? { deployment: { runtime: "Suspended" } }
      : { deployment: { desired: "Stopped", runtime: null, attempt: pipeline.spec.deployment.attempt + 1 } },
  dismissError: ({ pipeline }) => ({ deployment: { dismiss: pipeline.spec.deployment.dismiss + 1 } }),
  clear: ({ pipeline }) => (pipeline.status.storage_status === "InUse" ? { clear: pipeline.spec.clear + 1 } : {}),
  pause: () => ({ deployment: { runtime: "Paused" } }),
  resume: () => ({ deployment: { runtime: "Running" } }),
  activate: (_seen, event) => ({ deployment: { runtime: event.initial === "paused" ? "Paused" : "Running" } }),
};

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
  return {
    ...known,
    resources,
    combined: { ...known.combined, facts: { ...known.combined.facts, ...resources.facts } },
  };
}

function withArgs(seen: PipelineSeen, event: Event, known: Known<ResourcesFacts>): Known<ResourcesFacts> {
  const { status, spec } = seen.pipeline;
  const standby = event.type === "start" && initialOf(event) === "Standby";
  const sync = JSON.stringify(spec.runtime_config.storage ?? {});
  const synchronised = /"name":"file"/.test(sync) && /"sync":/.test(sync);
  return {
    ...known,
    facts: {
      ...known.facts,
      initialFits:
        !isWanted(seen.pipeline) || event.initial === undefined || initialOf(event) === status.deployment_initial,
      errorHeld: event.type === "start" && event.dismiss_error === false && known.facts.errorKept,
      standbyRefused: standby && (status.activated || !synchronised),
      checkpointRefused:
        event.type === "stop" && event.force === false && isGraceful(seen.pipeline, event) && !canCheckpoint(seen),
    },
  };
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

function isWanted({ status }: PipelineSeen["pipeline"]): boolean {
  return status.deployment_resources_desired_status === "Provisioned";
}

function isGraceful({ status }: PipelineSeen["pipeline"], { force }: Event): boolean {
  return force !== true && status.deployment_resources_status === "Provisioned";
}

function canCheckpoint({ pipeline: { status } }: PipelineSeen): boolean {
  const { deployment_runtime_status: runtime, deployment_runtime_desired_status: heading } = status;
  return runtime !== "Unavailable" && (heading === "Paused" || heading === "Running" || heading === "Suspended");
}
