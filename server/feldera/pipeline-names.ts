/** The names of a pipeline's objects: a function of its name, so that a worker that crashed finds them again. */
export const pipelineNames = {
  /** StatefulSet and Service. */
  compute: (pipeline: string) => `pl-${pipeline}`,
  config: (pipeline: string) => `pl-${pipeline}-config`,
  claim: (pipeline: string) => `pl-${pipeline}-storage`,
  /** One set per version of the program: what an older version left behind is never mistaken for a result. */
  program: (pipeline: string, version: number) => `pl-${pipeline}-program-${version}`,
  job: (pipeline: string, stage: Stage, version: number) => `pl-${pipeline}-${stage}-${version}`,
};

export type Stage = "sql" | "rust";

/**
 * The revision label of a StatefulSet's pods is its name and a hash of 11 characters, in at most 63; `pl-` takes three
 * more, and a Job's suffix the same again.
 */
export const PIPELINE_NAME_MAX = 45;

export const labels = {
  pipeline: "feldera.com/pipeline",
  role: "feldera.com/role",
  programVersion: "feldera.com/program-version",
};

/** The container of a compiler's Job. */
export const COMPILER = "compiler";
export const PIPELINE_PORT = 8080;
