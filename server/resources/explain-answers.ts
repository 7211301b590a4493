import { z } from "zod";
import { guardSchema, objectRefSchema } from "./evidence-answers";
import { time, toneSchema } from "./row";

export const causeSchema = z.object({
  sentence: z.string(),
  reason: z.string(),
  object: objectRefSchema.nullable(),
  since: time.nullable(),
});
export type Cause = z.infer<typeof causeSchema>;

export const wayOutSchema = z.object({
  edge: z.string().describe("id of the edge in machines.get"),
  to: z.string(),
  event: z.string(),
  self: z.boolean(),
  actions: z.array(z.string()),
  open: z.boolean(),
  taken: z.boolean().describe("the next look at the world goes this way"),
  guard: guardSchema.nullable().describe("null: always open"),
});

export const explainSchema = z.object({
  sentence: z.string().describe("state, since, why, what next, when it is looked at again"),
  why: z.string().nullable().describe("the first cause alone"),
  causes: z.array(causeSchema).describe("deepest first; restatements dropped"),
  unknown: z.array(z.string()).describe("what could not be looked at"),
  lifecycles: z.array(
    z.object({
      lifecycle: z.string(),
      state: z.string(),
      tone: toneSchema,
      since: time.nullable(),
      sentence: z.string(),
      waysOut: z.array(wayOutSchema),
    }),
  ),
  looksAgainAt: time.nullable(),
  error: z.string().nullable().describe("what the last pass failed with"),
  source: z.enum(["live", "stored"]).describe("stored: the cluster does not answer, this is what was last read"),
  readAt: time,
});
export type ExplainAnswer = z.infer<typeof explainSchema>;
