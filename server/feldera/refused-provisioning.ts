import type { Pipeline, PipelineStatus } from "@/machines/feldera/pipeline.schema";
import type { Failure } from "@/server/reconcile/reconciler";
import { withoutEmpty } from "./without-empty";

/**
 * The status that tells of an object which the API server does not take while the pipeline is provisioned. One refused
 * for good is a resources error, which the next pass acts on; rights and quotas may come, and are told until they do.
 * Every pass whose writes are all done leaves it out again.
 */
export function refusedProvisioning({ status }: Pipeline, { kind, reason, message }: Failure): PipelineStatus | null {
  const isRefusal = kind === "permanent" || reason === "Forbidden";
  if (!isRefusal || status.deployment_resources_status !== "Provisioning") return null;
  return withoutEmpty({ ...status, provisioning_refusal: { message, for_good: kind === "permanent" } });
}
