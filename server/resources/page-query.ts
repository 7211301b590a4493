import { z } from "zod";
import { kindIdSchema } from "./ref";
import { rowSchema, toneSchema } from "./row";

const words = z.array(z.string().max(253)).max(100);

/** Which resources: every condition given must hold; several values of one condition are alternatives. */
export const filterSchema = z.object({
  family: z.string().max(50).optional(),
  kinds: z.array(kindIdSchema).max(50).optional(),
  namespaces: words.optional(),
  states: words.optional().describe("of the first lifecycle, or lifecycle=state for any other"),
  tones: z.array(toneSchema).max(5).optional(),
  labels: z.record(z.string().max(320), z.string().max(63)).optional(),
  text: z.string().max(200).optional().describe("part of the name, the namespace, the state or the sentence"),
});
export type Filter = z.infer<typeof filterSchema>;

export const pageQuerySchema = filterSchema.extend({
  sort: z.enum(["attention", "name", "namespace", "kind", "state", "since"]).default("attention"),
  direction: z.enum(["asc", "desc"]).default("asc"),
  cursor: z.string().max(2_000).optional().describe("nextCursor of the page before"),
  limit: z.int().min(1).max(200).default(50),
});
export type PageQuery = z.infer<typeof pageQuerySchema>;

export const countsSchema = z.object({
  total: z.int(),
  tones: z.partialRecord(toneSchema, z.int()),
  states: z.array(
    z.object({ kind: z.string(), lifecycle: z.string(), state: z.string(), tone: toneSchema, count: z.int() }),
  ),
  kinds: z.record(z.string(), z.int()),
  namespaces: z.record(z.string(), z.int()),
});
export type Counts = z.infer<typeof countsSchema>;

export const pageSchema = z.object({
  rows: z.array(rowSchema),
  nextCursor: z.string().nullable(),
  counts: countsSchema.describe("of everything that the filter matches, not of this page alone"),
  hidden: z.array(z.string()).describe("kinds of which the caller may not list all namespaces"),
  version: z.string().describe("subscribe to fleet.changes from here"),
});
export type Page = z.infer<typeof pageSchema>;
