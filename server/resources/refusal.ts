import { z } from "zod";
import { ownError } from "@/server/own-error";

/** Why something was not done. `sentence` is for people, `code` for programs, `reason` is the machine's or the cluster's own word. */
export const refusalSchema = z.object({
  code: z.enum([
    "state",
    "permission",
    "check failed",
    "conflict",
    "busy",
    "invalid",
    "not found",
    "unauthenticated",
    "unavailable",
    "too many requests",
  ]),
  sentence: z.string(),
  reason: z.string().nullable(),
});
export type Refusal = z.infer<typeof refusalSchema>;

/** An expected no, on its way to the caller. */
export class Refused extends ownError("Refused") {
  readonly refusal: Refusal;
  constructor(code: Refusal["code"], sentence: string, reason: string | null = null) {
    super(sentence);
    this.refusal = { code, sentence, reason };
  }
}
