import { z } from "zod";
import { refSchema } from "./ref";
import { refusalSchema } from "./refusal";
import { rowSchema, time, toneSchema } from "./row";

export const objectRefSchema = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
  uid: z.string().optional(),
  resourceVersion: z.string().optional(),
});

export const evidenceSchema = z.object({ sentence: z.string(), object: objectRefSchema.optional() });

/** XState's guard with its value, leaf by leaf. */
export type GuardAnswer =
  | { op: "and" | "or" | "not"; value: boolean; of: GuardAnswer[] }
  | { op: "is"; name: string; value: boolean; sentence: string; evidence: z.infer<typeof evidenceSchema>[] };
const guardSchema: z.ZodType<GuardAnswer> = z
  .union([
    z.object({
      op: z.enum(["and", "or", "not"]),
      value: z.boolean(),
      get of() {
        return z.array(guardSchema);
      },
    }),
    z.object({
      op: z.literal("is"),
      name: z.string(),
      value: z.boolean(),
      sentence: z.string(),
      evidence: z.array(evidenceSchema),
    }),
  ])
  .meta({ id: "Guard" });

export const argSchema = z.object({
  type: z.enum(["integer", "string", "boolean"]),
  title: z.string(),
  min: z.number().optional(),
  max: z.number().optional(),
  options: z.array(z.string()).readonly().optional(),
  default: z.unknown().optional(),
});

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

const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
});

const lifecycleSchema = z.object({
  lifecycle: z.string(),
  title: z.string(),
  machine: z.string().describe("hash"),
  state: z.string(),
  tone: toneSchema,
  summary: z.string(),
  since: time.nullable(),
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

export const causeSchema = z.object({
  sentence: z.string(),
  reason: z.string(),
  object: objectRefSchema.nullable(),
  since: time.nullable(),
});
export type Cause = z.infer<typeof causeSchema>;

const wayOutSchema = z.object({
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

export const writeSchema = z.object({
  verb: z.enum(["apply", "delete", "patch", "status", "event", "request", "finalizer"]),
  object: objectRefSchema.nullable(),
  sentence: z.string(),
  detail: z.unknown().optional(),
});
export type Write = z.infer<typeof writeSchema>;

export const previewSchema = z.object({
  allowed: z.boolean(),
  refusal: refusalSchema.nullable(),
  from: z.record(z.string(), z.string()).describe("state by lifecycle"),
  to: z.record(z.string(), z.string()),
  writes: z.array(writeSchema).describe("in order; nothing was written"),
  looksAgainInMs: z.number().nullable(),
});
export type PreviewAnswer = z.infer<typeof previewSchema>;

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
    z.object({ fact: z.string(), from: z.unknown(), to: z.unknown(), evidence: evidenceSchema.nullable() }),
  ),
  facts: z.record(z.string(), z.unknown()),
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

export type TreeNode = {
  object: z.infer<typeof objectRefSchema>;
  tone: z.infer<typeof toneSchema>;
  sentence: string;
  createdAt: string | null;
  children: TreeNode[];
};
const treeSchema: z.ZodType<TreeNode> = z
  .object({
    object: objectRefSchema,
    tone: toneSchema,
    sentence: z.string(),
    createdAt: z.string().nullable(),
    get children() {
      return z.array(treeSchema);
    },
  })
  .meta({ id: "OwnedObject" });
export const objectsSchema = z.object({
  tree: z.array(treeSchema),
  hidden: z.array(z.string()).describe("kinds of object that the caller may not list"),
});

export const yamlSchema = z.object({ yaml: z.string(), redacted: z.int().describe("values that were left out") });

const commandDone = z.object({
  accepted: z.literal(true),
  commandId: z.string(),
  sentence: z.string(),
  changed: z.record(z.string(), z.unknown()).describe("the patch that was applied"),
  resourceVersion: z.string(),
  to: z.string().nullable(),
  repeated: z.boolean().describe("the same idempotency key was used before; nothing was done again"),
});
const commandRefused = z.object({
  accepted: z.literal(false),
  commandId: z.string(),
  refusal: refusalSchema,
  state: z.string().nullable().describe("the state that was found"),
  repeated: z.boolean(),
});
export const commandAnswerSchema = z.discriminatedUnion("accepted", [commandDone, commandRefused]);
export type CommandAnswer = z.infer<typeof commandAnswerSchema>;

export const waitSchema = z.object({
  reached: z.boolean(),
  state: z.string().nullable().describe("null: the resource is gone"),
  waitedMs: z.number(),
  reason: z.string().nullable().describe("why not yet, where it was not reached"),
});

export const auditEntrySchema = z.object({
  id: z.string(),
  at: time,
  actor: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  command: z.string(),
  args: z.record(z.string(), z.unknown()),
  outcome: z.enum(["running", "accepted", "refused"]),
  code: z.string().nullable(),
  sentence: z.string(),
  reason: z.string().nullable(),
  stateBefore: z.string().nullable(),
  machine: z.string().nullable(),
  changed: z.record(z.string(), z.unknown()),
  bulkId: z.string().nullable(),
});
export const auditPageSchema = z.object({ commands: z.array(auditEntrySchema), nextCursor: z.string().nullable() });
