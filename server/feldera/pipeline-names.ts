import type { Pipeline } from "@/machines/feldera/pipeline.schema";

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

/** What a pipeline is known by to the REST API, its compilers and its process: it outlives a change of name. */
export function pipelineId({ metadata, status }: Pipeline): string {
  return status.id ?? metadata.uid;
}

export type Stage = "sql" | "rust";

/**
 * The revision label of a StatefulSet's pods is its name and a hash of 11 characters, in at most 63; `pl-` takes three
 * more, and a Job's suffix the same again.
 */
const PIPELINE_NAME_MAX = 45;

/** What is wrong with a name, in the words of the REST API; null where nothing is. They are those of Kubernetes objects. */
export function nameFault(name: string): { code: string; message: string; details: Record<string, unknown> } | null {
  if (name === "") return { code: "EmptyName", message: "The name of a pipeline cannot be empty.", details: {} };
  if (name.length > PIPELINE_NAME_MAX) {
    const message = `The name is longer than ${PIPELINE_NAME_MAX} characters.`;
    return { code: "TooLongName", message, details: { length: name.length, max_length: PIPELINE_NAME_MAX } };
  }
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) return null;
  const message = `The name "${name}" may have lower-case letters, digits and "-" only, and no "-" at its ends.`;
  return { code: "NameDoesNotMatchPattern", message, details: { name } };
}

export const labels = {
  pipeline: "feldera.com/pipeline",
  role: "feldera.com/role",
  programVersion: "feldera.com/program-version",
};

/** The container of a compiler's Job. */
export const COMPILER = "compiler";
export const PIPELINE_PORT = 8080;
