import { edgesOf } from "@/machines/edges";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";
import { decisive, guardTree } from "@/machines/guard-tree";
import type { Event } from "@/machines/lifecycle";
import type { Reading } from "@/server/resources/read-resource";
import type { Refusal } from "@/server/resources/refusal";
import { RestError } from "./rest-error";

type Told = { status: number; code: string };

/** The guard of the machine that said no → the code that callers of this API know. */
const byGuard: Record<string, Told> = {
  errorHeld: { status: 400, code: "CannotStartWithUndismissedError" },
  clearing: { status: 400, code: "CannotStartWhileClearingStorage" },
  compileFailed: { status: 400, code: "CannotStartWithCompilationError" },
  initialFits: { status: 400, code: "InitialImmutableUnlessStopped" },
  standbyRefused: { status: 400, code: "InitialStandbyNotAllowed" },
  fullyStopped: { status: 400, code: "StorageStatusImmutableUnlessStopped" },
  mayTurn: { status: 400, code: "InvalidTransition" },
  mayActivate: { status: 400, code: "InvalidTransition" },
};

/** Where the state has no such way at all, or the same guard means different things. */
const byCommand: Record<string, (pipeline: Pipeline) => Told> = {
  start: () => ({ status: 400, code: "IllegalPipelineAction" }),
  stop: (pipeline) => unavailable(pipeline) ?? { status: 400, code: "InvalidTransition" },
  clear: () => ({ status: 400, code: "StorageStatusImmutableUnlessStopped" }),
  dismissError: () => ({ status: 400, code: "DismissErrorRestrictedToFullyStopped" }),
  pause: processRefusal,
  resume: processRefusal,
  activate: processRefusal,
};

/** The machine's refusal of a command as this API tells it. */
export function refusedCommand(reading: Reading, event: Event, refusal: Refusal): RestError {
  // Read by the pipeline's own kind, whose schema it was parsed with.
  const pipeline = reading.resource as Pipeline;
  const told =
    guardsInTheWay(reading, event)
      .map((guard) => byGuard[guard])
      .find(Boolean) ?? byCommand[event.type]?.(pipeline);
  const { status, code } = told ?? { status: 400, code: "IllegalPipelineAction" };
  const details = {
    status: pipeline.status.deployment_status,
    current_desired_status: pipeline.status.deployment_desired_status,
    hint: refusal.reason ?? refusal.sentence,
  };
  return new RestError(status, code, refusal.sentence, details);
}

function guardsInTheWay({ kind, reconciler, resource, seen }: Reading, event: Event): string[] {
  const known = reconciler.known(seen, event);
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

function processRefusal(pipeline: Pipeline): Told {
  if (pipeline.status.deployment_resources_status !== "Provisioned") {
    return { status: 503, code: "PipelineInteractionNotDeployed" };
  }
  return unavailable(pipeline) ?? { status: 400, code: "InvalidTransition" };
}

function unavailable({ status }: Pipeline): Told | null {
  return status.deployment_runtime_status === "Unavailable" ? { status: 503, code: "PipelineUnavailable" } : null;
}
