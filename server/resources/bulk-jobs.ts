import { randomUUID } from "node:crypto";
import type { Timer } from "@/server/kubernetes/clock";
import type { Identity } from "@/server/identity/identity";
import { inTurns, refsOf, type BulkInput } from "./bulk";
import {
  errandOf,
  insertJob,
  jobOf,
  markCancelled,
  markDone,
  releaseAll,
  stillMine,
  storeAnswer,
  takeSilent,
  type Job,
} from "./bulk-store";
import { command } from "./command";
import type { Asked, Context } from "./context";
import { settleForgotten } from "./forgotten-commands";

/** Commands at the same time, per job. */
const WIDTH = 6;
/** A job whose runner has not been heard of for so long is taken over. */
const SILENT_MS = 30_000;
const LOOK_MS = 10_000;

export type BulkJobs = {
  run(asked: Asked, input: BulkInput): Promise<Job>;
  get(asked: Asked, id: string): Promise<Job>;
  cancel(asked: Asked, id: string): Promise<Job>;
  /** Goes on with what a process that ended left undone, now and whenever one falls silent. */
  start(context: Context): Promise<void>;
  stop(): Promise<void>;
};

/** Bulk commands run here, on the server: neither a closed page nor the end of a process ends one. */
export function createBulkJobs({ onError }: { onError: (error: unknown) => void }): BulkJobs {
  const runner = randomUUID();
  const running = new Map<string, Promise<void>>();
  let stopping = false;
  let timer: Timer | null = null;
  let looking: Promise<void> = Promise.resolve();
  let started: Context | null = null;

  /** Whatever ends the work early, the job stays running in the database, and the next look goes on with it. */
  const carryOn = (context: Context, identity: Identity, id: string) => {
    const work = carriedOut({ ...context, identity }, id)
      .catch(onError)
      .finally(() => running.delete(id));
    running.set(id, work);
  };

  const carriedOut = async (asked: Asked, id: string) => {
    const errand = await errandOf(asked, id);
    if (!errand) return;
    const failures: unknown[] = [];
    await inTurns(errand.items, WIDTH, async ({ position, ...ref }) => {
      try {
        if (stopping || failures.length > 0 || !(await stillMine(asked, id, runner))) return;
        const { command: name, args } = errand;
        const idempotencyKey = `bulk/${id}/${position}`;
        const answer = await command(asked, { ...ref, command: name, args, idempotencyKey, bulkId: id });
        // Begun by a runner that died: how it ended is told once it counts as forgotten.
        if (!answer.accepted && answer.repeated && answer.refusal.code === "busy") return;
        await storeAnswer(asked, id, position, answer);
      } catch (error) {
        failures.push(error);
      }
    });
    if (failures.length > 0) throw failures[0];
    await markDone(asked, id, runner);
  };

  const look = async (context: Context, silentMs: number) => {
    await settleForgotten(context, silentMs);
    for (const id of running.keys()) await stillMine(context, id, runner);
    const silentSince = context.clock.now() - silentMs;
    for (const { id, identity } of await takeSilent(context, runner, silentSince))
      if (!running.has(id)) carryOn(context, identity, id);
  };

  const schedule = (context: Context) => {
    timer = context.clock.setTimeout(() => {
      looking = look(context, SILENT_MS)
        .catch(onError)
        .then(() => (stopping ? undefined : schedule(context)));
    }, LOOK_MS);
  };

  return {
    run: async (asked, input) => {
      const refs = await refsOf(asked, input);
      const id = randomUUID();
      await insertJob(asked, { id, runner, input, refs });
      carryOn(asked, asked.identity, id);
      return jobOf(asked, id);
    },
    get: jobOf,
    cancel: async (asked, id) => {
      await jobOf(asked, id);
      await markCancelled(asked, id);
      return jobOf(asked, id);
    },
    start: async (context) => {
      started = context;
      // The embedded database is one process's alone: whoever else ran a job there is dead.
      await look(context, context.database.home === "embedded" ? 0 : SILENT_MS).catch(onError);
      schedule(context);
    },
    stop: async () => {
      stopping = true;
      timer?.cancel();
      await looking;
      await Promise.all(running.values());
      if (started) await releaseAll(started, runner).catch(onError);
    },
  };
}
