import { findCondition } from "@/machines/conditions";
import type { Pipeline, PipelineStatus } from "@/machines/feldera/pipeline.schema";
import { pipelineId } from "../pipeline-names";

const selectors = ["all", "status", "status_with_connectors"] as const;
export type Selector = (typeof selectors)[number];

export function isSelector(word: string): word is Selector {
  return selectors.some((selector) => selector === word);
}

/** A pipeline as the REST API shows it; `status` leaves out what is large. */
export function pipelineView(
  pipeline: Pipeline,
  selector: Exclude<Selector, "status_with_connectors">,
): Record<string, unknown> {
  const { metadata, spec, status } = pipeline;
  const light = {
    id: pipelineId(pipeline),
    name: metadata.name,
    description: spec.description,
    tags: spec.tags,
    created_at: metadata.creationTimestamp,
    version: status.version,
    platform_version: status.platform_version,
    program_config: spec.program_config,
    program_version: status.program_version,
    program_status: status.program_status,
    program_status_since: status.program_status_since ?? metadata.creationTimestamp,
    refresh_version: status.refresh_version,
    storage_status: status.storage_status,
    storage_status_details: status.storage_status_details ?? null,
    deployment_id: status.deployment_id ?? null,
    deployment_initial: status.deployment_initial ?? null,
    deployment_error: status.deployment_error ?? null,
    deployment_status: status.deployment_status,
    deployment_status_since: status.deployment_status_since ?? metadata.creationTimestamp,
    deployment_desired_status: status.deployment_desired_status,
    deployment_desired_status_since: status.deployment_desired_status_since ?? metadata.creationTimestamp,
    deployment_resources_status: status.deployment_resources_status,
    deployment_resources_status_since: status.deployment_resources_status_since ?? metadata.creationTimestamp,
    deployment_resources_desired_status: status.deployment_resources_desired_status,
    deployment_resources_desired_status_since:
      status.deployment_resources_desired_status_since ?? metadata.creationTimestamp,
    deployment_runtime_status: status.deployment_runtime_status ?? null,
    deployment_runtime_status_details: status.deployment_runtime_status === "Unavailable" ? whyNotReady(status) : null,
    deployment_runtime_status_since: status.deployment_runtime_status_since ?? null,
    deployment_runtime_desired_status: status.deployment_runtime_desired_status ?? null,
    deployment_runtime_desired_status_since: status.deployment_runtime_desired_status_since ?? null,
  };
  if (selector === "status") return light;
  return {
    ...light,
    runtime_config: spec.runtime_config,
    program_code: spec.program_code,
    udf_rust: spec.udf_rust,
    udf_toml: spec.udf_toml,
    program_error: status.program_error ?? {},
    program_info: status.program_info ? shownInfo(status.program_info) : null,
    deployment_config: status.deployment_config ?? null,
    deployment_resources_status_details: isTurning(status) ? whyNotReady(status) : null,
  };
}

function isTurning({ deployment_resources_status: resources }: PipelineStatus): boolean {
  return resources === "Provisioning" || resources === "Stopping";
}

function whyNotReady({ conditions }: PipelineStatus): { reason: string } | null {
  const ready = findCondition(conditions, "Ready");
  return ready?.status === "False" ? { reason: ready.message } : null;
}

/** Generated code is for the compilers, not for whoever asks. */
function shownInfo(info: Record<string, unknown>): Record<string, unknown> {
  const shown = Object.entries(info).filter(([field]) => field !== "main_rust" && field !== "dataflow");
  // An empty text is stored as an absent one.
  return { udf_stubs: "", ...Object.fromEntries(shown) };
}
