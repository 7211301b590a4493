import { z } from "zod";

export const objectRefSchema = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
  uid: z.string().optional(),
  resourceVersion: z.string().optional(),
});

export const evidenceSchema = z.object({ sentence: z.string(), object: objectRefSchema.optional() });

/** What is true of a resource is as plain as JSON. */
export const factSchema = z.unknown().describe("one of the values that machines.get names for the fact");

/** XState's guard with its value, leaf by leaf. */
export type GuardAnswer =
  | { op: "and" | "or" | "not"; value: boolean; of: GuardAnswer[] }
  | { op: "is"; name: string; value: boolean; sentence: string; evidence: z.infer<typeof evidenceSchema>[] };
export const guardSchema: z.ZodType<GuardAnswer> = z
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
