import { z } from "zod";
import { objectRefSchema } from "./evidence-answers";
import { refusalSchema } from "./refusal";
import { time } from "./row";

export const writeSchema = z.object({
  verb: z.enum(["apply", "delete", "patch", "status", "event", "request", "finalizer"]),
  object: objectRefSchema.nullable(),
  sentence: z.string(),
  detail: z.unknown().optional().describe("the object, patch or status that would be sent, without secrets"),
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

export const auditEntrySchema = z.object({
  id: z.string(),
  at: time,
  actor: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  command: z.string(),
  args: z.record(z.string(), z.unknown()).describe("as they were given"),
  outcome: z.enum(["running", "accepted", "refused"]),
  code: z.string().nullable(),
  sentence: z.string(),
  reason: z.string().nullable(),
  stateBefore: z.string().nullable(),
  machine: z.string().nullable(),
  changed: z.record(z.string(), z.unknown()).describe("the patch that was applied"),
  bulkId: z.string().nullable(),
});
export const auditPageSchema = z.object({ commands: z.array(auditEntrySchema), nextCursor: z.string().nullable() });
