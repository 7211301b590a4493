import { z } from "zod";

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

const brand = Symbol.for("orrery.Refused");

/** An expected no, on its way to the caller. */
export class Refused extends Error {
  override name = "Refused";
  readonly [brand] = true;
  readonly refusal: Refusal;
  constructor(code: Refusal["code"], sentence: string, reason: string | null = null) {
    super(sentence);
    this.refusal = { code, sentence, reason };
  }

  /** The pages are built apart from the process that they run in: this class is there twice, what it stands for once. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}
