import type { z } from "zod";
import { commandAnswerSchema, type auditEntrySchema, type CommandAnswer } from "./command-answers";
import type { Attempt, CommandInput } from "./command";
import type { Asked } from "./context";
import { visibleTo } from "./access";
import { cursorNumber } from "./number-cursor";
import { parameters } from "./page-filter";
import { idOf, type Ref } from "./ref";
import type { Refusal } from "./refusal";

/** A row that is open. `refusal`: it is refused whatever the machine says. */
export type Begun = { fresh: true; id: string; refusal: Refusal | null };
type Repeated = { fresh: false; answer: CommandAnswer };

/** Writes the row before anything is done. A key that was used before gives the answer of that time. */
export async function beginCommand(asked: Asked, input: CommandInput, id: string): Promise<Begun | Repeated> {
  if (await insertRow(asked, input, id)) return { fresh: true, id, refusal: null };
  const [before] = await asked.database.query<Before>(
    `SELECT "id", "changed" -> 'answer' AS "answer",
       "resourceId" = $3 AND "command" = $4 AND "args" = $5::jsonb AS "isSame" FROM "Command"
     WHERE "actor" = $1 AND "idempotencyKey" = $2`,
    [asked.identity.name, input.idempotencyKey, idOf(input), input.command, JSON.stringify(input.args)],
  );
  if (before?.isSame) return { fresh: false, answer: answerBefore(before) };
  // Refused, and in the log like any other: under a key of its own.
  await insertRow(asked, { ...input, idempotencyKey: `${input.idempotencyKey}/${id}` }, id);
  const sentence = "This idempotency key was used for another command, or for other arguments.";
  return { fresh: true, id, refusal: { code: "invalid", sentence, reason: null } };
}

async function insertRow({ database, identity, clock }: Asked, input: CommandInput, id: string): Promise<boolean> {
  const created = await database.query(
    `INSERT INTO "Command" ("id", "at", "actor", "groups", "idempotencyKey", "resourceId", "kind", "namespace", "name",
       "command", "args", "seenState", "outcome", "sentence", "changed", "bulkId")
     VALUES ($1, $2, $3, $4::jsonb, $5, $6, $7, $8, $9, $10, $11::jsonb, $12, 'running', '', '{}', $13)
     ON CONFLICT ("actor", "idempotencyKey") DO NOTHING RETURNING "id"`,
    [
      id,
      new Date(clock.now()),
      identity.name,
      JSON.stringify(identity.groups),
      input.idempotencyKey,
      idOf(input),
      input.kind,
      input.namespace,
      input.name,
      input.command,
      JSON.stringify(input.args),
      input.seenState ?? null,
      input.bulkId ?? null,
    ],
  );
  return created.length > 0;
}

type Before = { id: string; isSame: boolean; answer: unknown };

function answerBefore({ id, answer }: Before): CommandAnswer {
  const given = commandAnswerSchema.safeParse(answer);
  if (given.success) return { ...given.data, repeated: true };
  const refusal = { code: "busy" as const, sentence: "This command is under way.", reason: null };
  return { accepted: false, commandId: id, refusal, state: null, repeated: true };
}

export async function finishCommand(asked: Asked, { id }: Begun, attempt: Attempt): Promise<void> {
  const { answer, object, state, machine } = attempt;
  const refusal = answer.accepted ? null : answer.refusal;
  await asked.database.query(
    `UPDATE "Command" SET "finishedAt" = $2, "outcome" = $3, "code" = $4, "sentence" = $5, "reason" = $6, "uid" = $7,
       "stateBefore" = $8, "machine" = $9, "changed" = $10::jsonb WHERE "id" = $1`,
    [
      id,
      new Date(asked.clock.now()),
      answer.accepted ? "accepted" : "refused",
      refusal?.code ?? null,
      answer.accepted ? answer.sentence : answer.refusal.sentence,
      refusal?.reason ?? null,
      object?.metadata.uid ?? null,
      state,
      machine,
      JSON.stringify({ patch: answer.accepted ? answer.changed : {}, answer }),
    ],
  );
}

type AuditEntry = z.infer<typeof auditEntrySchema>;
type StoredEntry = Omit<AuditEntry, "at" | "changed"> & {
  at: Date;
  changed: AuditEntry["changed"] | null;
  order: string;
};
export type AuditQuery = {
  of?: Ref | undefined;
  actor?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

/** The audit log, newest first: only commands on what the caller may list. */
export async function auditPage(asked: Asked, { of, actor, cursor, limit }: AuditQuery) {
  const visible = await visibleTo(asked, asked.identity);
  const { add, values } = parameters();
  const kinds = Object.entries(visible).map(([kind, where]) =>
    where === "everywhere"
      ? `"kind" = ${add(kind)}`
      : `("kind" = ${add(kind)} AND "namespace" = ANY(${add(where)}::text[]))`,
  );
  const conditions = [`"order" < ${add(cursorNumber(cursor))}`, `(${kinds.join(" OR ") || "false"})`];
  if (of) conditions.push(`"resourceId" = ${add(idOf(of))}`);
  if (actor !== undefined) conditions.push(`"actor" = ${add(actor)}`);
  const rows = await asked.database.query<StoredEntry>(
    `SELECT "id", "order"::text AS "order", "at", "actor", "kind", "namespace", "name", "command", "args", "outcome", "code",
       "sentence", "reason", "stateBefore", "machine", "changed" -> 'patch' AS "changed", "bulkId"
     FROM "Command" WHERE ${conditions.join(" AND ")} ORDER BY "Command"."order" DESC LIMIT ${add(limit + 1)}`,
    values,
  );
  const shown = rows.slice(0, limit);
  return {
    commands: shown.map((row) => ({
      ...row,
      at: row.at.toISOString(),
      changed: row.changed ?? {},
    })),
    nextCursor: rows.length > limit ? (shown.at(-1)?.order ?? null) : null,
  };
}
