import { timestamp } from "@/machines/conditions";
import type { Pipeline, PipelineStatus } from "@/machines/feldera/pipeline.schema";
import { combinedOf, noted } from "./noted-status";
import { coreHash, isEdited } from "./program-hash";
import { wishesOf } from "./wishes";

/** A pipeline as the next pass will leave it for what was asked already: whoever asked sees it at once. */
export function promised(pipeline: Pipeline, now: number): Pipeline {
  const { spec, status } = pipeline;
  const wishes = wishesOf(pipeline);
  const stopped = status.deployment_resources_status === "Stopped";
  const clears = wishes.clear && stopped && wishes.desired === "Stopped" && status.storage_status === "InUse";
  const next: PipelineStatus = {
    ...status,
    deployment_resources_desired_status: wishes.desired,
    ...(stopped && { deployment_initial: wishes.desired === "Provisioned" ? wishes.initial : undefined }),
    ...(stopped && wishes.dismiss && { deployment_error: undefined }),
    ...(clears && { storage_status: "Clearing", storage_status_details: undefined }),
    ...(stopped && isEdited(pipeline) && status.handled.program !== "" && editedProgram(status)),
    ...(stopped && !["", coreHash(spec)].includes(status.handled.core) && { version: status.version + 1 }),
  };
  return { ...pipeline, status: noted(status, { ...next, ...combinedOf(next) }, timestamp(now)) };
}

function editedProgram({ program_version }: PipelineStatus): Partial<PipelineStatus> {
  return {
    program_status: "Pending",
    program_version: program_version + 1,
    program_error: undefined,
    program_info: undefined,
  };
}
