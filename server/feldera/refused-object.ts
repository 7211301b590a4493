import { setCondition } from "@/machines/conditions";
import type { Pipeline, PipelineStatus } from "@/machines/feldera/pipeline.schema";
import type { Failure } from "@/server/reconcile/reconciler";
import { isCompiling } from "./held-up-compiler";
import { compiledCondition, readyCondition } from "./pipeline-conditions";
import { withoutEmpty } from "./without-empty";

/**
 * The status that tells of an object which the API server does not take, while it is made for a compiler or to provision
 * the pipeline. One refused for good is an error, which the next pass acts on; rights and quotas may come, and are told
 * until they do. Every pass whose writes are all done leaves it out again.
 */
export function refusedObject(
  { metadata, status }: Pipeline,
  { kind, reason, message }: Failure,
  now: number,
): PipelineStatus | null {
  const isRefusal = kind === "permanent" || reason === "Forbidden";
  const isProvisioning = status.deployment_resources_status === "Provisioning";
  const isMade = isProvisioning || (isCompiling(status) && status.deployment_resources_status === "Stopped");
  if (!isRefusal || !isMade) return null;
  const held = { ...status, held_up: { message, for_good: kind === "permanent" } };
  const told = isProvisioning ? readyCondition(held, message) : compiledCondition(held);
  const conditions = setCondition(status.conditions, { ...told, observedGeneration: metadata.generation }, now);
  return withoutEmpty({ ...held, conditions: [...conditions] });
}
