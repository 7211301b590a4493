import { performance } from "node:perf_hooks";
import { ownError } from "@/server/own-error";

export type Stages = {
  /** Does one step of the start, says what it is and how long it took, and remembers how to undo it. */
  run: <T>(title: string, start: () => Promise<T>, stop?: (started: T) => Promise<void>) => Promise<T>;
  /** Undoes what was started, last first. All of it is tried; what failed is told together. */
  stop: () => Promise<void>;
};

/** The start of the program, step by step, and its way back. */
export function createStages(say: (line: string) => void): Stages {
  const started: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | null = null;

  const isStopping = () => stopping !== null;

  async function stopAll() {
    const failures: unknown[] = [];
    for (const stop of started.splice(0).reverse()) await stop().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, "not everything could be stopped");
  }

  return {
    run: async (title, start, stop) => {
      if (isStopping()) throw new StoppedEarly();
      const since = performance.now();
      const value = await start();
      if (isStopping()) {
        await stop?.(value);
        throw new StoppedEarly();
      }
      if (stop) started.push(() => stop(value));
      say(`  ✓ ${title}: ${secondsSince(since)}`);
      return value;
    },
    stop: () => (stopping ??= stopAll()),
  };
}

/** The start was interrupted: not a failure, there is just nothing to go on with. */
export class StoppedEarly extends ownError("StoppedEarly") {}

function secondsSince(since: number) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
