import { z } from "zod";

/** What we read of any resource's metadata. */
export const resourceMetadataSchema = z.looseObject({
  name: z.string(),
  namespace: z.string(),
  uid: z.string().default(""),
  generation: z.number().default(1),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  finalizers: z.array(z.string()).default([]),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
});
