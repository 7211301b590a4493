import { z } from "zod";
import { conditionsSchema } from "../conditions";
import { engineSettings } from "./engine.schema";
import { podTemplateSchema } from "./pod-template.schema";
import { resourceMetadataSchema } from "./resource-metadata.schema";

export const engineClassSpecSchema = z.object({
  template: podTemplateSchema.describe("what is laid over the pods of every engine of this class"),
  ...engineSettings,
});

export const engineClassStatusSchema = z.object({
  observedGeneration: z.number().int().optional(),
  boundEngines: z.number().int().default(0).describe("engines of the namespace that name this class"),
  conditions: conditionsSchema.default([]),
});

export const engineClassSchema = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: resourceMetadataSchema,
  spec: engineClassSpecSchema,
  status: engineClassStatusSchema.prefault({}),
});
export type EngineClass = z.infer<typeof engineClassSchema>;
