import type { CommandAnswer } from "./command-answers";
import type { Context } from "./context";

type Store = Pick<Context, "database" | "clock">;
type Forgotten = { id: string; command: string; name: string; stateBefore: string | null };

/**
 * A process that ended in the middle of a command has left its row open. It is closed with the truth: nobody knows
 * whether the change was made. Asked again with the same key, that is the answer, and nothing is done twice.
 */
export async function settleForgotten({ database, clock }: Store, silentMs: number): Promise<void> {
  const now = clock.now();
  const forgotten = await database.query<Forgotten>(
    `SELECT "id", "command", "name", "stateBefore" FROM "Command" WHERE "outcome" = 'running' AND "at" <= $1`,
    [new Date(now - silentMs)],
  );
  for (const { id, command, name, stateBefore } of forgotten) {
    const sentence = `Orrery ended in the middle of it: ${command} may or may not have been asked of ${name}.`;
    const refusal = { code: "check failed" as const, sentence, reason: "Interrupted" };
    const answer: CommandAnswer = { accepted: false, commandId: id, refusal, state: stateBefore, repeated: false };
    await database.query(
      `UPDATE "Command" SET "finishedAt" = $2, "outcome" = 'refused', "code" = $3, "sentence" = $4, "reason" = $5, "changed" = $6::jsonb
       WHERE "id" = $1 AND "outcome" = 'running'`,
      [id, new Date(now), refusal.code, sentence, refusal.reason, JSON.stringify({ patch: {}, answer })],
    );
  }
}
