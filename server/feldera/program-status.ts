import type { PipelineStatus } from "@/machines/feldera/pipeline.schema";
import type { Steps } from "./pipeline-steps";
import type { PipelineSeen } from "./pipeline.read";
import { programHash } from "./program-hash";

type Change = Partial<PipelineStatus>;

/** What the step of the program changes in its fields. */
export function programAfter(seen: PipelineSeen, { program }: Steps): Change {
  return Object.assign({}, ...program.actions.map((action) => changes[action](seen))) as Change;
}

const nothing = (): Change => ({});

const changes: Record<Steps["program"]["actions"][number], (seen: PipelineSeen) => Change> = {
  resetProgram: ({ pipeline, options }) => ({
    program_error: undefined,
    program_info: undefined,
    platform_version: options.platformVersion,
    program_version: pipeline.status.program_version + (pipeline.status.handled.program === "" ? 0 : 1),
    handled: { ...pipeline.status.handled, program: programHash(pipeline.spec) },
  }),
  keepProgramInfo: ({ job }) =>
    "result" in job
      ? {
          program_info: job.result.program_info ?? {},
          program_error: { sql_compilation: job.result.sql_compilation },
        }
      : {},
  keepErrors: ({ pipeline, job }) => ({
    program_error: {
      ...pipeline.status.program_error,
      ...("result" in job && job.result.sql_compilation && { sql_compilation: job.result.sql_compilation }),
      ...("result" in job && job.result.rust_compilation && { rust_compilation: job.result.rust_compilation }),
      ...(job.state === "broken" && { system_error: job.reason }),
    },
  }),
  startSqlJob: nothing,
  startRustJob: nothing,
  dropJobs: nothing,
};
