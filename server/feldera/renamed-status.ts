import type { Pipeline, PipelineStatus } from "@/machines/feldera/pipeline.schema";
import { pipelineId } from "./pipeline-names";
import { coreHash } from "./program-hash";

/** A compiler goes with the object that it works for: its stage begins again, as after any other loss of it. */
const resets: Partial<Record<PipelineStatus["program_status"], PipelineStatus["program_status"]>> = {
  CompilingSql: "Pending",
  CompilingRust: "SqlCompiled",
};

/** What a pipeline that is stopped, with its storage cleared, takes along to an object of another name and this spec. */
export function renamedStatus(before: Pipeline, spec: Pipeline["spec"]) {
  const { status } = before;
  const { program, core } = status.handled;
  const reset = resets[status.program_status];
  return {
    id: pipelineId(before),
    // Another core makes one more version by itself, and a change of name in the same edit none beside it.
    version: status.version + (core === "" || core === coreHash(spec) ? 1 : 0),
    refresh_version: status.refresh_version + 1,
    program_version: status.program_version,
    platform_version: status.platform_version,
    program_status: reset ?? status.program_status,
    program_status_since: reset ? null : (status.program_status_since ?? null),
    program_error: status.program_error ?? null,
    program_info: (reset === "Pending" ? null : status.program_info) ?? null,
    deployment_error: status.deployment_error ?? null,
    compiler_job: null,
    handled: { program, core },
  };
}
