import type { Pipeline } from "@/machines/feldera/pipeline.schema";

export type RuntimeWish = "Running" | "Paused" | "Suspended";
type Handled = Pipeline["status"]["handled"];

export type Wishes = {
  desired: "Stopped" | "Provisioned";
  initial: "Running" | "Paused" | "Standby";
  /** What the process is asked to become, unless that was passed on already. */
  runtime: RuntimeWish | null;
  clear: boolean;
  dismiss: boolean;
  /** What to remember as acted on once this pass is written. */
  handled: Handled;
};

/**
 * What is wanted, out of a spec that says it and a status that says what was acted on. A difference is a request; an
 * error undoes the wish in the status alone, in the same write as the error, so a crash can lose neither.
 */
export function wishesOf({ metadata, spec, status }: Pipeline): Wishes {
  const { deployment } = spec;
  const { handled } = status;
  // Whatever was wanted of it: what is being deleted is stopped.
  if (metadata.deletionTimestamp) {
    const { initial } = deployment;
    return { desired: "Stopped", initial, runtime: null, clear: false, dismiss: false, handled };
  }
  const asked =
    deployment.desired !== handled.desired ||
    deployment.initial !== handled.initial ||
    deployment.attempt !== handled.attempt;
  // A start that comes while it stops waits until it is stopped; a stop never waits.
  const waits = deployment.desired === "Provisioned" && status.deployment_resources_status === "Stopping";
  const taken = asked && !waits;
  // What it starts as is settled once a start is wanted. While it is stopped, another attempt may mean a stop in between.
  const again = deployment.attempt !== handled.attempt && status.deployment_resources_status === "Stopped";
  const settled = status.deployment_resources_desired_status === "Provisioned" && !again;
  return {
    desired: taken ? deployment.desired : status.deployment_resources_desired_status,
    initial: taken && !settled ? deployment.initial : (status.deployment_initial ?? deployment.initial),
    runtime:
      deployment.runtime && (deployment.runtime !== handled.runtime || deployment.request !== handled.request)
        ? deployment.runtime
        : null,
    clear: spec.clear !== handled.clear,
    dismiss: deployment.dismiss !== handled.dismiss,
    handled: taken
      ? { ...handled, desired: deployment.desired, initial: deployment.initial, attempt: deployment.attempt }
      : handled,
  };
}
