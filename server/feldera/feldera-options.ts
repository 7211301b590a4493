/** What an installation decides about all pipelines. */
export type FelderaOptions = {
  /** Runs a pipeline. What it is given and has to answer is in deploy/feldera-images.md. */
  pipelineImage: string;
  /** Compiles a program; its contract is on the same page. */
  compilerImage: string;
  /** Programs compiled at the same time, per stage. */
  compilersMax: number;
  /** Longest time for resources to become healthy, where a pipeline does not name its own. */
  provisioningTimeoutMs: number;
  /** Storage of a pipeline that names no size. */
  storageMb: number;
  platformVersion: string;
  /** Scripts that make stand-ins of images that bring no program of their own; null for those that do. */
  scripts: Record<"pipeline" | "compiler", Record<string, string> | null>;
};
