import type { Pipeline } from "@/machines/feldera/pipeline.schema";
import { runtimeConfigSchema } from "@/machines/feldera/runtime-config.schema";

/** What a deployment is given when it begins, and keeps: an edit of the spec reaches the next one. */
export function deploymentConfig({ metadata, spec, status }: Pipeline): Record<string, unknown> {
  const { program_info, program_version } = status;
  return {
    id: metadata.uid,
    name: metadata.name,
    program_version,
    ...spec.runtime_config,
    inputs: program_info?.input_connectors ?? {},
    outputs: program_info?.output_connectors ?? {},
  };
}

/** How the deployment under way runs. */
export function deployedRuntimeConfig({ spec, status }: Pipeline): Pipeline["spec"]["runtime_config"] {
  return status.deployment_config ? runtimeConfigSchema.parse(status.deployment_config) : spec.runtime_config;
}
