import type { Pipeline } from "@/machines/feldera/pipeline.schema";
import { runtimeConfigSchema } from "@/machines/feldera/runtime-config.schema";
import { boundConfig } from "./edit-rules";
import { pipelineId } from "./pipeline-names";

/**
 * What a deployment is given when it begins, and keeps: an edit of the spec reaches the next one. What the stored data
 * depends on stays as it was when the storage was taken into use, and changes only once that is cleared.
 */
export function deploymentConfig(pipeline: Pipeline): Record<string, unknown> {
  const { metadata, spec, status } = pipeline;
  const { program_info, program_version, storage_config } = status;
  return {
    id: pipelineId(pipeline),
    name: metadata.name,
    program_version,
    ...(storage_config ? boundConfig(spec.runtime_config, storage_config) : spec.runtime_config),
    inputs: program_info?.input_connectors ?? {},
    outputs: program_info?.output_connectors ?? {},
  };
}

/** How the deployment under way runs. */
export function deployedRuntimeConfig({ spec, status }: Pipeline): Pipeline["spec"]["runtime_config"] {
  return status.deployment_config ? runtimeConfigSchema.parse(status.deployment_config) : spec.runtime_config;
}
