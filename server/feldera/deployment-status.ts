import { createHash } from "node:crypto";
import type { PipelineStatus } from "@/machines/feldera/pipeline.schema";
import { resourcesMachine } from "@/machines/feldera/resources.machine";
import { metaOf } from "@/machines/lifecycle";
import { computeOf } from "./compute-state";
import { configFaults } from "./config-rules";
import { deploymentConfig } from "./deployment-config";
import { PIPELINE_PORT } from "./pipeline-names";
import type { Steps } from "./pipeline-steps";
import { timeoutOf } from "./pipeline.known";
import { addressOf, type PipelineSeen } from "./pipeline.read";
import type { PipelineError } from "./process-report";
import type { Wishes } from "./wishes";

type Change = Partial<PipelineStatus>;
type Cause = { seen: PipelineSeen; wishes: Wishes };

/** What the step of the resources changes in the fields of the deployment. */
export function deploymentAfter(seen: PipelineSeen, wishes: Wishes, { resources }: Steps): Change {
  const wanted: Change = {
    deployment_resources_desired_status: wishes.desired,
    deployment_initial: wishes.desired === "Provisioned" ? wishes.initial : undefined,
  };
  return Object.assign(wanted, ...resources.actions.map((action) => changes[action]({ seen, wishes }))) as Change;
}

const nothing = (): Change => ({});

const changes: Record<Steps["resources"]["actions"][number], (cause: Cause) => Change> = {
  beginDeployment: ({ seen, wishes }) => ({
    deployment_id: deploymentId(seen),
    deployment_config: deploymentConfig(seen.pipeline),
    deployment_error: undefined,
    deployment_initial: wishes.initial,
    activated: seen.pipeline.status.activated || wishes.initial !== "Standby",
  }),
  noteProvisioned: ({ seen }) => ({ deployment_location: `${addressOf(seen.pods) ?? ""}:${PIPELINE_PORT}` }),
  endDeployment: () => ended(undefined),
  failStart: ({ seen }) =>
    ended({
      message: `The pipeline was not started: its program is ${seen.pipeline.status.program_status}`,
      error_code: "StartFailedDueToFailedCompilation",
      details: { compiler_error: seen.pipeline.status.program_status },
    }),
  failConfig: ({ seen }) => {
    const faults = configFaults(seen.pipeline.spec.runtime_config);
    const sentence = faults.map(({ field, message }) => `\`runtime_config.${field}\`: ${message}`).join("; ");
    return ended({
      message: `The pipeline was not started: ${sentence}`,
      error_code: "AutomatonInvalidRuntimeConfig",
      details: { fields: faults.map(({ field }) => `runtime_config.${field}`) },
    });
  },
  failStandby: () =>
    ended({
      message: `The pipeline was not started: ${metaOf(resourcesMachine).guards.standbyRefused?.yes ?? ""}`,
      error_code: "InitialStandbyNotAllowed",
      details: { initial: "Standby" },
    }),
  failProvisioning: ({ seen }) => {
    const { sentence } = computeOf(seen).evidence;
    const isComingUp = seen.pipeline.status.deployment_resources_status === "Provisioning";
    const error_code = isComingUp ? "RunnerProvisionError" : "RunnerCheckError";
    return ended({ message: sentence, error_code, details: { error: sentence } });
  },
  failTimeout: ({ seen }) => {
    const seconds = timeoutOf(seen) / 1000;
    const waiting = computeOf(seen).evidence.sentence;
    return ended({
      message: `Provisioning took longer than ${seconds} s: ${waiting}`,
      error_code: "AutomatonProvisioningTimeout",
      details: { timeout_secs: seconds, waiting_for: waiting },
    });
  },
  failRuntime: ({ seen }) => ended(seen.report?.kind === "failed" ? seen.report.error : undefined),
  ensureCompute: ({ seen }) => {
    const address = addressOf(seen.pods);
    // A pod that was replaced answers elsewhere.
    return seen.pipeline.status.deployment_location && address
      ? { deployment_location: `${address}:${PIPELINE_PORT}` }
      : {};
  },
  dropCompute: nothing,
  forgetError: nothing,
  askStart: nothing,
  askStop: nothing,
};

/** Becoming Stopping, for whatever cause, also means wanting to be stopped: one write, so that neither is lost. */
function ended(error: PipelineError | undefined): Change {
  return {
    deployment_id: undefined,
    deployment_config: undefined,
    deployment_location: undefined,
    deployment_initial: undefined,
    deployment_error: error,
    deployment_resources_desired_status: "Stopped",
  };
}

/** A UUIDv7: ordered by time. The same pass computed twice gives the same id; the next deployment gets another one. */
function deploymentId({ pipeline, now }: PipelineSeen): string {
  const { refresh_version } = pipeline.status;
  const digest = createHash("sha256").update(`${pipeline.metadata.uid} ${refresh_version}`).digest("hex");
  const time = Math.floor(now).toString(16).padStart(12, "0");
  const parts = [
    time.slice(0, 8),
    time.slice(8),
    `7${digest.slice(0, 3)}`,
    `8${digest.slice(3, 6)}`,
    digest.slice(6, 18),
  ];
  return parts.join("-");
}
