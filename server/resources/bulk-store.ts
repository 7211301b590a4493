import { z } from "zod";
import type { Identity } from "@/server/identity/identity";
import type { BulkInput } from "./bulk";
import type { CommandAnswer } from "./command-answers";
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

type Store = Pick<Context, "database" | "clock">;
export type Errand = { command: string; args: Record<string, unknown>; items: (Ref & { position: number })[] };
type NewJob = { id: string; runner: string; input: BulkInput; refs: Ref[] };

export async function insertJob(
  { database, identity, clock }: Asked,
  { id, runner, input, refs }: NewJob,
): Promise<void> {
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

/** What is still to be asked for; null: there is no such job. */
export async function errandOf({ database }: Store, id: string): Promise<Errand | null> {
  const [job] = await database.query<Pick<Errand, "command" | "args">>(
    `SELECT "command", "args" FROM "BulkJob" WHERE "id" = $1`,
    [id],
  );
  const items = await database.query<Ref & { position: number }>(
    `SELECT "position", "kind", "namespace", "name" FROM "BulkItem" WHERE "jobId" = $1 AND "outcome" = 'waiting' ORDER BY "position"`,
    [id],
  );
  return job ? { ...job, items } : null;
}

export async function storeAnswer({ database }: Store, id: string, position: number, answer: CommandAnswer) {
  const refusal = answer.accepted ? null : answer.refusal;
  const outcome = answer.accepted ? "accepted" : "refused";
  await database.query(
    `UPDATE "BulkItem" SET "outcome" = $3, "code" = $4, "sentence" = $5, "commandId" = $6 WHERE "jobId" = $1 AND "position" = $2`,
    [id, position, outcome, refusal?.code ?? null, refusal?.sentence ?? null, answer.commandId],
  );
}

/** Says that the runner lives; false: the job was cancelled, or is another runner's by now. */
export async function stillMine({ database, clock }: Store, id: string, runner: string): Promise<boolean> {
  const alive = await database.query(
    `UPDATE "BulkJob" SET "aliveAt" = $3 WHERE "id" = $1 AND "runner" = $2 AND "state" = 'running' RETURNING "id"`,
    [id, runner, new Date(clock.now())],
  );
  return alive.length > 0;
}

export async function markDone({ database, clock }: Store, id: string, runner: string): Promise<void> {
  await database.query(
    `UPDATE "BulkJob" SET "state" = 'done', "finishedAt" = $2 WHERE "id" = $1 AND "state" = 'running' AND "runner" = $3
       AND NOT EXISTS (SELECT 1 FROM "BulkItem" WHERE "jobId" = $1 AND "outcome" = 'waiting')`,
    [id, new Date(clock.now()), runner],
  );
}

export async function markCancelled({ database, clock }: Store, id: string): Promise<void> {
  await database.query(
    `UPDATE "BulkJob" SET "state" = 'cancelled', "finishedAt" = $2 WHERE "id" = $1 AND "state" = 'running'`,
    [id, new Date(clock.now())],
  );
}

/** Takes the jobs whose runner has not been heard of since then, each for one runner only. */
export async function takeSilent({ database, clock }: Store, runner: string, silentSince: number) {
  const taken = await database.query<{ id: string; actor: string; groups: string[] }>(
    `UPDATE "BulkJob" SET "runner" = $1, "aliveAt" = $2 WHERE "state" = 'running' AND "aliveAt" <= $3
     RETURNING "id", "actor", "groups"`,
    [runner, new Date(clock.now()), new Date(silentSince)],
  );
  return taken.map(({ id, actor, groups }) => ({ id, identity: askedBy(actor, groups) }));
}

/** Another process need not wait for the silence of one that has said goodbye. */
export async function releaseAll({ database }: Store, runner: string): Promise<void> {
  await database.query(`UPDATE "BulkJob" SET "aliveAt" = $2 WHERE "state" = 'running' AND "runner" = $1`, [
    runner,
    new Date(0),
  ]);
}

/** Rights are asked for again at every item, so a job acts with no more than its owner has at that time. */
function askedBy(name: string, groups: readonly string[]): Identity {
  return { name, groups, expiresAt: null, by: "bearer" };
}

type StoredJob = Omit<Job, "at" | "finishedAt" | "total" | "accepted" | "refused" | "waiting" | "items"> & {
  at: Date;
  finishedAt: Date | null;
};

/** A job is its owner's to see. */
export async function jobOf({ database, identity }: Asked, id: string): Promise<Job> {
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
