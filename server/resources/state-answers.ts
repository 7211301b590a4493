import { z } from "zod";
import { argSchema } from "./command-args";
import { refusalSchema } from "./refusal";
import { rowSchema, time, toneSchema } from "./row";

/** A button: never hidden, and where it is not allowed, why. */
export const offerSchema = z.object({
  command: z.string(),
  lifecycle: z.string(),
  title: z.string(),
  summary: z.string(),
  allowed: z.boolean(),
  refusal: refusalSchema.nullable(),
  to: z.string().nullable(),
  destroys: z.boolean(),
  args: z.record(z.string(), argSchema),
});
export type Offer = z.infer<typeof offerSchema>;

export const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
});

export const lifecycleSchema = z.object({
  lifecycle: z.string(),
  title: z.string(),
  machine: z.string().describe("hash"),
  state: z.string(),
  tone: toneSchema,
  summary: z.string(),
  since: time.nullable(),
  desired: z
    .object({ state: z.string(), since: time.nullable() })
    .nullable()
    .describe("the state that it is wanted in, where the resource tells one"),
  settled: z.boolean(),
  composedOf: z.array(z.string()).describe("lifecycles that it is made of; they tell its ways out"),
});

export const getSchema = z.object({
  row: rowSchema,
  title: z.string().describe("of the kind"),
  lifecycles: z.array(lifecycleSchema),
  commands: z.array(offerSchema.extend({ changes: z.boolean().describe("whether it would write anything now") })),
  conditions: z.array(conditionSchema),
  createdAt: z.string().nullable(),
  deletingSince: z.string().nullable(),
  generation: z.int().nullable(),
  resourceVersion: z.string(),
  annotations: z.record(z.string(), z.string()),
  readAt: time,
});
export type GetAnswer = z.infer<typeof getSchema>;

export const waitSchema = z.object({
  reached: z.boolean(),
  state: z.string().nullable().describe("null: the resource is gone"),
  waitedMs: z.number(),
  reason: z.string().nullable().describe("why not yet, where it was not reached"),
});
