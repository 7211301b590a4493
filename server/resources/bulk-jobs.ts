import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Identity } from "@/server/identity/identity";
import { inTurns, refsOf, type BulkInput } from "./bulk";
import { command } from "./command";
import type { Asked, Context } from "./context";
import type { Ref } from "./ref";
import { Refused } from "./refusal";
import { time } from "./row";

export const jobSchema = z.object({
  id: z.string(),
  command: z.string(),
  state: z.enum(["running", "done", "cancelled"]),
  actor: z.string(),
  at: time,
  finishedAt: time.nullable(),
  total: z.int(),
  accepted: z.int(),
  refused: z.int(),
  waiting: z.int(),
  items: z.array(
    z.object({
      kind: z.string(),
      namespace: z.string(),
      name: z.string(),
      outcome: z.enum(["waiting", "accepted", "refused"]),
      code: z.string().nullable(),
      sentence: z.string().nullable(),
    }),
  ),
});
export type Job = z.infer<typeof jobSchema>;

/** Commands at the same time, per job. */
const WIDTH = 6;
/** A job whose runner has not been heard of for so long is taken over. */
const SILENT_MS = 30_000;

export type BulkJobs = {
  run(asked: Asked, input: BulkInput): Promise<Job>;
  get(asked: Asked, id: string): Promise<Job>;
  cancel(asked: Asked, id: string): Promise<Job>;
  /** Goes on with what a process that ended left undone; an item that was asked for is not asked for again. */
  resume(context: Context): Promise<void>;
  stop(): Promise<void>;
};

/** Bulk commands run here, on the server: a closed page ends nothing. */
export function createBulkJobs(): BulkJobs {
  const runner = randomUUID();
  const running = new Map<string, Promise<void>>();
  let stopping = false;

  const start = (asked: Asked, id: string) => {
    const work = carryOn(asked, id).finally(() => running.delete(id));
    running.set(
      id,
      work.catch(() => undefined),
    );
  };

  const carryOn = async (asked: Asked, id: string) => {
    const { database, clock } = asked;
    const [job] = await database.query<{ command: string; args: Record<string, unknown> }>(
      `SELECT "command", "args" FROM "BulkJob" WHERE "id" = $1`,
      [id],
    );
    const items = await database.query<Ref & { position: number }>(
      `SELECT "position", "kind", "namespace", "name" FROM "BulkItem" WHERE "jobId" = $1 AND "outcome" = 'waiting' ORDER BY "position"`,
      [id],
    );
    if (!job) return;
    await inTurns(items, WIDTH, async ({ position, ...ref }) => {
      if (stopping || !(await isRunning(asked, id, runner))) return;
      const answer = await command(asked, { ...ref, ...job, idempotencyKey: `bulk/${id}/${position}`, bulkId: id });
      const refusal = answer.accepted ? null : answer.refusal;
      await database.query(
        `UPDATE "BulkItem" SET "outcome" = $3, "code" = $4, "sentence" = $5, "commandId" = $6 WHERE "jobId" = $1 AND "position" = $2`,
        [
          id,
          position,
          answer.accepted ? "accepted" : "refused",
          refusal?.code ?? null,
          refusal?.sentence ?? null,
          answer.commandId,
        ],
      );
    });
    if (stopping) return;
    await database.query(
      `UPDATE "BulkJob" SET "state" = 'done', "finishedAt" = $2 WHERE "id" = $1 AND "state" = 'running' AND "runner" = $3`,
      [id, new Date(clock.now()), runner],
    );
  };

  return {
    run: async (asked, input) => {
      const refs = await refsOf(asked, input);
      const id = randomUUID();
      await insertJob(asked, { id, runner, input, refs });
      start(asked, id);
      return jobOf(asked, id);
    },
    get: jobOf,
    cancel: async (asked, id) => {
      await jobOf(asked, id);
      await asked.database.query(
        `UPDATE "BulkJob" SET "state" = 'cancelled', "finishedAt" = $2 WHERE "id" = $1 AND "state" = 'running'`,
        [id, new Date(asked.clock.now())],
      );
      return jobOf(asked, id);
    },
    resume: async (context) => {
      const now = context.clock.now();
      const left = await context.database.query<{ id: string; actor: string; groups: string[] }>(
        `UPDATE "BulkJob" SET "runner" = $1, "aliveAt" = $2
         WHERE "state" = 'running' AND "runner" <> $1 AND "aliveAt" < $3 RETURNING "id", "actor", "groups"`,
        [runner, new Date(now), new Date(now - SILENT_MS)],
      );
      for (const { id, actor, groups } of left) start({ ...context, identity: askedBy(actor, groups) }, id);
    },
    stop: async () => {
      stopping = true;
      await Promise.all(running.values());
    },
  };
}

/** Rights are asked for again at every item, so a job acts with no more than its owner has at that time. */
function askedBy(name: string, groups: readonly string[]): Identity {
  return { name, groups, expiresAt: null, by: "bearer" };
}

async function isRunning({ database, clock }: Asked, id: string, runner: string): Promise<boolean> {
  const alive = await database.query(
    `UPDATE "BulkJob" SET "aliveAt" = $3 WHERE "id" = $1 AND "runner" = $2 AND "state" = 'running' RETURNING "id"`,
    [id, runner, new Date(clock.now())],
  );
  return alive.length > 0;
}

type NewJob = { id: string; runner: string; input: BulkInput; refs: Ref[] };

async function insertJob({ database, identity, clock }: Asked, { id, runner, input, refs }: NewJob): Promise<void> {
  const now = new Date(clock.now());
  await database.transaction(async (query) => {
    await query(
      `INSERT INTO "BulkJob" ("id", "at", "actor", "groups", "command", "args", "state", "runner", "aliveAt")
       VALUES ($1, $2, $3, $4::jsonb, $5, $6::jsonb, 'running', $7, $2)`,
      [id, now, identity.name, JSON.stringify(identity.groups), input.command, JSON.stringify(input.args), runner],
    );
    await query(
      `INSERT INTO "BulkItem" ("jobId", "position", "kind", "namespace", "name", "outcome")
       SELECT $1, r."position", r."kind", r."namespace", r."name", 'waiting'
       FROM jsonb_to_recordset($2::jsonb) AS r("position" int, "kind" text, "namespace" text, "name" text)`,
      [id, JSON.stringify(refs.map((ref, position) => ({ ...ref, position })))],
    );
  });
}

type StoredJob = Omit<Job, "at" | "finishedAt" | "total" | "accepted" | "refused" | "waiting" | "items"> & {
  at: Date;
  finishedAt: Date | null;
};

/** A job is its owner's to see. */
async function jobOf({ database, identity }: Asked, id: string): Promise<Job> {
  const [job] = await database.query<StoredJob>(
    `SELECT "id", "command", "state", "actor", "at", "finishedAt" FROM "BulkJob" WHERE "id" = $1 AND "actor" = $2`,
    [id, identity.name],
  );
  if (!job) throw new Refused("not found", "You have no bulk job with this id.");
  const items = await database.query<Job["items"][number]>(
    `SELECT "kind", "namespace", "name", "outcome", "code", "sentence" FROM "BulkItem" WHERE "jobId" = $1 ORDER BY "position"`,
    [id],
  );
  const countOf = (outcome: string) => items.filter((item) => item.outcome === outcome).length;
  return {
    ...job,
    at: job.at.toISOString(),
    finishedAt: job.finishedAt?.toISOString() ?? null,
    total: items.length,
    accepted: countOf("accepted"),
    refused: countOf("refused"),
    waiting: countOf("waiting"),
    items,
  };
}
