import { z } from "zod";

export const toneSchema = z.enum(["idle", "busy", "good", "warn", "bad"]);

export const time = z.iso.datetime().describe("UTC, ISO 8601");

const lifecycleStateSchema = z.object({ state: z.string(), tone: toneSchema, since: time.nullable() });

const ownerSchema = z.object({ kind: z.string(), name: z.string() });

/** What a list shows of a resource: a projection, never the object. */
export const rowSchema = z.object({
  id: z.string().describe("kind/namespace/name"),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  state: z.string().describe("of the kind's first lifecycle"),
  tone: toneSchema.describe("the worst of all lifecycles; of the first one where all are well or at rest"),
  since: time.nullable().describe("null: unknown"),
  lifecycles: z.record(z.string(), lifecycleStateSchema),
  sentence: z.string(),
  reason: z.string().nullable(),
  owner: ownerSchema.nullable(),
  labels: z.record(z.string(), z.string()),
  commands: z.array(z.string()).describe("what the state allows; rights are checked when one is asked for"),
  looksAgainAt: time.nullable(),
  error: z.string().nullable().describe("what the last pass failed with"),
  version: z.string().describe("position in the order of all changes"),
});
export type Row = z.infer<typeof rowSchema>;

/** The columns that make a row, for any statement that selects from "Resource". */
export const rowColumns = `"id", "kind", "namespace", "name", "uid", "state", "tone", "since", "lifecycles", "sentence",
  "reason", "owner", "labels", "commands", "looksAgainAt", "error", "version"::text AS "version"`;

export type StoredRow = Omit<Row, "since" | "looksAgainAt"> & { since: Date | null; looksAgainAt: Date | null };

export function rowOf(stored: StoredRow): Row {
  return { ...stored, since: iso(stored.since), looksAgainAt: iso(stored.looksAgainAt) };
}

export function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
