import type { z } from "zod";
import { commandAnswerSchema, type auditEntrySchema, type CommandAnswer } from "./answers";
import type { Attempt, CommandInput } from "./command";
import type { Asked } from "./context";
import { visibleTo } from "./access";
import { cursorNumber } from "./number-cursor";
import { parameters } from "./page-filter";
import { idOf, type Ref } from "./ref";

export type Begun = { fresh: true; id: string };

/** Writes the row before anything is done. A key that was used before gives the answer of that time. */
export async function beginCommand(
  asked: Asked,
  input: CommandInput,
  id: string,
): Promise<Begun | { fresh: false; answer: CommandAnswer }> {
  const { database, identity, clock } = asked;
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
  if (created.length > 0) return { fresh: true, id };
  return { fresh: false, answer: await answerBefore(asked, input) };
}

type Before = { id: string; resourceId: string; command: string; outcome: string; answer: unknown };

async function answerBefore({ database, identity }: Asked, input: CommandInput): Promise<CommandAnswer> {
  const [before] = await database.query<Before>(
    `SELECT "id", "resourceId", "command", "outcome", "changed" -> 'answer' AS "answer" FROM "Command"
     WHERE "actor" = $1 AND "idempotencyKey" = $2`,
    [identity.name, input.idempotencyKey],
  );
  const refused = (code: "invalid" | "busy", sentence: string): CommandAnswer => ({
    accepted: false,
    commandId: before?.id ?? "",
    refusal: { code, sentence, reason: null },
    state: null,
    repeated: true,
  });
  if (before?.resourceId !== idOf(input) || before.command !== input.command)
    return refused("invalid", "This idempotency key was used for another command.");
  const answer = commandAnswerSchema.safeParse(before.answer);
  return answer.success ? { ...answer.data, repeated: true } : refused("busy", "This command is under way.");
}

export async function finishCommand(
  asked: Asked,
  _input: CommandInput,
  { id }: Begun,
  attempt: Attempt,
): Promise<void> {
  const { answer, reading, state, machine } = attempt;
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
      reading?.object.metadata.uid ?? null,
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
