import { edgesOf } from "@/machines/edges";
import type { Known } from "@/machines/facts";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";
import { decisive, guardTree } from "@/machines/guard-tree";
import { runtimeMachine } from "@/machines/feldera/runtime.machine";
import { metaOf, type Event } from "@/machines/lifecycle";
import type { Reading } from "@/server/resources/read-resource";
import type { Refusal } from "@/server/resources/refusal";
import { RestError } from "./rest-error";

type Told = { status: number; code: string };
type Refusing = Pick<Reading, "kind" | "reconciler" | "resource" | "seen" | "now">;

/** The guard that refused a start → the code that callers of this API know. */
const refusedStart: Record<string, string> = {
  startWanted: "IllegalPipelineAction",
  errorHeld: "CannotStartWithUndismissedError",
  clearing: "CannotStartWhileClearingStorage",
  compileFailed: "CannotStartWithCompilationError",
  initialFits: "InitialImmutableUnlessStopped",
  standbyRefused: "InitialStandbyNotAllowed",
};

/** Each other command is refused for one reason, or for what the process is; a start also where its state has no such way. */
const byCommand: Record<string, (pipeline: Pipeline, known: Record<string, Known>, guards: string[]) => Told> = {
  start: (_pipeline, _known, guards) => ({
    status: 400,
    code: guards.flatMap((guard) => refusedStart[guard] ?? [])[0] ?? "IllegalPipelineAction",
  }),
  stop: (pipeline) => unavailable(pipeline) ?? { status: 400, code: "InvalidTransition" },
  clear: () => ({ status: 400, code: "StorageStatusImmutableUnlessStopped" }),
  dismissError: () => ({ status: 400, code: "DismissErrorRestrictedToFullyStopped" }),
  pause: processRefusal,
  resume: processRefusal,
  activate: processRefusal,
};

/** The machine's refusal of a command as this API tells it; null where the machine refuses it no more. */
export function refusedCommand(reading: Refusing, event: Event, refusal: Refusal): RestError | null {
  const { steps } = reading.reconciler.compute(reading.seen, event, reading.now);
  if (Object.values(steps).some(({ actions }) => actions.length > 0)) return null;
  // Read by the pipeline's own kind, whose schema it was parsed with.
  const pipeline = reading.resource as Pipeline;
  const known = reading.reconciler.known(reading.seen, event);
  const told = byCommand[event.type]?.(pipeline, known, guardsInTheWay(reading, event, known));
  const { status, code } = told ?? { status: 400, code: "IllegalPipelineAction" };
  const own = sentences[code]?.(pipeline, event.type);
  const details = { ...detailsOf(pipeline, event), hint: own ?? refusal.reason ?? refusal.sentence };
  return new RestError(status, code, own ?? refusal.sentence, details);
}

/** What says more to a caller of this API than the words of the machine. */
const sentences: Record<string, (pipeline: Pipeline, command: string) => string> = {
  IllegalPipelineAction: illegal,
  PipelineInteractionNotDeployed: ({ status }, command) => {
    const title = metaOf(runtimeMachine).commands[command]?.title ?? command;
    return `${title} is not possible: the pipeline is ${status.deployment_status}, and has no process to ask.`;
  },
};

function illegal({ status }: Pipeline): string {
  const { deployment_status: current, deployment_desired_status: desired } = status;
  return `The status (current ${current}, desired ${desired}) cannot have its desired status changed to Provisioned: a pipeline is not restarted while it stops. Wait until it is stopped.`;
}

function detailsOf({ status }: Pipeline, { type }: Event): Record<string, unknown> {
  if (type === "clear") {
    return {
      resources_status: status.deployment_resources_status,
      resources_desired_status: status.deployment_resources_desired_status,
      current_status: status.storage_status,
      new_status: "Clearing",
    };
  }
  return {
    status: status.deployment_status,
    current_desired_status: status.deployment_desired_status,
    ...(type === "start" && { new_desired_status: "Provisioned" }),
  };
}

function guardsInTheWay({ kind, resource }: Refusing, event: Event, known: Record<string, Known>): string[] {
  return Object.entries(kind.lifecycles).flatMap(([name, lifecycle]) => {
    const { machine, composedOf } = lifecycle;
    const facts = known[name];
    if (composedOf || !facts) return [];
    const state = lifecycle.stateOf(resource);
    return edgesOf(machine)
      .filter((edge) => edge.from === state && edge.event === event.type)
      .flatMap(({ guard }) => (guard ? decisive(guardTree(machine, guard, facts)).map((leaf) => leaf.name) : []));
  });
}

function processRefusal(pipeline: Pipeline, { runtime }: Record<string, Known>): Told {
  if (pipeline.status.deployment_resources_status !== "Provisioned") {
    return { status: 503, code: "PipelineInteractionNotDeployed" };
  }
  // It answered when it was last looked at, and does not now.
  const unreachable = runtime?.facts.heading === "Unavailable";
  const asked = unreachable ? { status: 503, code: "PipelineInteractionUnreachable" } : null;
  return unavailable(pipeline) ?? asked ?? { status: 400, code: "InvalidTransition" };
}

function unavailable({ status }: Pipeline): Told | null {
  return status.deployment_runtime_status === "Unavailable" ? { status: 503, code: "PipelineUnavailable" } : null;
}
