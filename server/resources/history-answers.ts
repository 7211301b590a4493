import { z } from "zod";
import { evidenceSchema, factSchema, objectRefSchema } from "./evidence-answers";
import { wayOutSchema } from "./explain-answers";
import { refSchema } from "./ref";
import { time, toneSchema } from "./row";
import { conditionSchema, lifecycleSchema } from "./state-answers";

export const storedWriteSchema = z.object({ sentence: z.string(), outcome: z.string(), ms: z.number() });

export const transitionSchema = z.object({
  id: z.string(),
  lifecycle: z.string(),
  at: time,
  machine: z.string(),
  from: z.string(),
  to: z.string(),
  event: z.string(),
  edge: z.string().nullable(),
  guard: z.string().nullable().describe("what became true, in words"),
  flipped: z.array(
    z.object({ fact: z.string(), from: factSchema, to: factSchema, evidence: evidenceSchema.nullable() }),
  ),
  facts: z.record(z.string(), factSchema),
  evidence: z.record(z.string(), evidenceSchema),
  actions: z.array(z.string()),
  writes: z.array(storedWriteSchema),
  actor: z.string().nullable(),
  commandId: z.string().nullable(),
  error: z.string().nullable(),
  dwellMs: z.number().nullable().describe("how long it had been in `from`"),
  droppedBefore: z
    .int()
    .describe("passes that were lost before this one: the database was away for too long, or a worker died"),
});
export type TransitionAnswer = z.infer<typeof transitionSchema>;

/** The whole of a resource, right after a transition. */
export const asOfSchema = z.object({
  transition: transitionSchema,
  generation: z.int().nullable().describe("of the spec that was in force"),
  conditions: z.array(conditionSchema),
  lifecycles: z.array(
    lifecycleSchema.extend({
      edge: z.string().nullable().describe("by which it had come where it was"),
      left: z.string().nullable().describe("the state before that"),
      decidedIn: z.string().nullable().describe("the state whose ways out these are"),
      waysOut: z.array(wayOutSchema).nullable().describe("null: the rules of then are no longer in force"),
    }),
  ),
});
export type AsOfAnswer = z.infer<typeof asOfSchema>;

export const generationSchema = z.object({ generation: z.int(), at: time, yaml: z.string() });
export type GenerationAnswer = z.infer<typeof generationSchema>;

export const latelySchema = z.object({
  ...refSchema.shape,
  kindTitle: z.string(),
  tone: toneSchema.describe("of the state that it moved to"),
  ...transitionSchema.pick({
    id: true,
    at: true,
    lifecycle: true,
    from: true,
    to: true,
    event: true,
    guard: true,
    actor: true,
    dwellMs: true,
  }).shape,
});
export type LatelyAnswer = z.infer<typeof latelySchema>;

export const historySchema = z.object({ transitions: z.array(transitionSchema), nextCursor: z.string().nullable() });

export const eventSchema = z.object({
  id: z.string(),
  object: objectRefSchema,
  reason: z.string(),
  message: z.string(),
  count: z.int(),
  firstSeen: time,
  lastSeen: time,
  source: z.string(),
});
export const eventsSchema = z.object({ events: z.array(eventSchema), nextCursor: z.string().nullable() });
