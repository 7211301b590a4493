import { randomUUID } from "node:crypto";
import { command } from "@/server/resources/command";
import { readResource } from "@/server/resources/read-resource";
import { Refused } from "@/server/resources/refusal";
import { refusedCommand } from "./refused-command";
import { RestError } from "./rest-error";
import { unknownPipeline, type Target } from "./stored-pipeline";

export type Answer = { status: number; body: unknown };

/** Callers of this API know a lock that they wait for; of two commands at once, the second waits for the first. */
const BUSY_MAX_MS = 10_000;
const BUSY_LOOK_MS = 50;

/** Carries out a command, and tells a refusal by its code. */
export async function act(
  { asked, namespace, name }: Target,
  type: string,
  args: Record<string, unknown>,
  message: string | ((changed: Record<string, unknown>) => string),
): Promise<Answer> {
  const ref = { kind: "feldera.pipeline", namespace, name };
  for (const end = asked.clock.now() + BUSY_MAX_MS; ;) {
    const answer = await command(asked, { ...ref, command: type, args, idempotencyKey: randomUUID() });
    if (answer.accepted) {
      return { status: 202, body: { message: typeof message === "string" ? message : message(answer.changed) } };
    }
    const { refusal } = answer;
    if (refusal.code === "not found") throw unknownPipeline(name);
    const isState = refusal.code === "state";
    if (!isState && refusal.code !== "busy") throw new Refused(refusal.code, refusal.sentence, refusal.reason);
    const told = isState ? refusedCommand(await readResource(asked, ref), { ...args, type }, refusal) : null;
    if (told) throw told;
    // Another command is under way, or what this one was refused for is over by now.
    if (asked.clock.now() >= end) throw new RestError(503, "LockTookTooLong", refusal.sentence);
    await asked.clock.sleep(BUSY_LOOK_MS);
  }
}
