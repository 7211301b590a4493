/** What an installation decides about all pipelines. */
export type FelderaOptions = {
  /** Runs a pipeline; gets its configuration under /config and its storage under /storage. */
  pipelineImage: string;
  /**
   * Compiles a program that it finds under /program, the stage as its argument; leaves its result as the termination
   * message of its container, or as the last line of its log and `{"result":"log"}` as the message.
   */
  compilerImage: string;
  /** Programs compiled at the same time, per stage. */
  compilersMax: number;
  /** Longest time for resources to become healthy, where a pipeline does not name its own. */
  provisioningTimeoutMs: number;
  /** Storage of a pipeline that names no size. */
  storageMb: number;
  platformVersion: string;
  /** Scripts that are mounted into images that bring none: the stand-ins. */
  scripts: { pipeline: Record<string, string>; compiler: Record<string, string> } | null;
};
