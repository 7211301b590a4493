import { z } from "zod";
import { conditionsSchema } from "../conditions";
import { podTemplateSchema } from "./pod-template.schema";
import { replicasMax } from "./replicas-max";
import { resourceMetadataSchema } from "./resource-metadata.schema";

export const enginePhases = ["creating", "switching", "draining", "cleaning", "stable", "stopped"] as const;

const storageSchema = z.object({
  persistentVolumeClaim: z
    .object({
      size: z.string().default("1Gi"),
      accessModes: z.array(z.string()).default(["ReadWriteOnce"]),
      storageClassName: z.string().optional(),
    })
    .optional(),
  emptyDir: z.object({ medium: z.enum(["", "Memory"]).optional(), sizeLimit: z.string().optional() }).optional(),
  hostPath: z.object({ path: z.string().regex(/^\//), type: z.string().optional() }).optional(),
});
export type Storage = z.infer<typeof storageSchema>;

/** What an engine and its class may both say; the engine wins. No defaults here, or a class could never speak. */
export const engineSettings = {
  uiSidecar: z.boolean().optional().describe("run the web console beside each engine pod"),
  rollout: z.enum(["graceful", "recreate"]).optional().describe("recreate does not wait for running queries"),
  drainCheckEnabled: z.boolean().optional().describe("wait for running queries before the old pods go"),
  drainCheckInterval: z
    .string()
    .regex(/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/)
    .optional()
    .describe("time between two looks at the old pods, 5s unless told"),
  storage: storageSchema.optional().describe("where an engine pod keeps its data, an emptyDir unless told"),
  customEngineConfig: z.record(z.string(), z.unknown()).optional().describe("merged into the engine's config.yaml"),
};

export const engineSpecSchema = z.object({
  instanceRef: z.string().min(1).describe("FireboltInstance of the same namespace"),
  engineClassRef: z.string().min(1).optional().describe("FireboltEngineClass of the same namespace"),
  replicas: z.int32().min(0).max(replicasMax).describe("pods of the engine; 0 stops it"),
  template: podTemplateSchema
    .optional()
    .describe("what is laid over the pods of this engine; its image has the program at /opt/firebolt/firebolt"),
  ...engineSettings,
});

export const engineStatusSchema = z.object({
  phase: z.enum(enginePhases).default("creating"),
  phaseSince: z.string().optional().describe("when the engine entered its phase"),
  observedGeneration: z.number().int().optional().describe("metadata.generation that the engine runs"),
  observedInstance: z.string().optional().describe("instance that the engine was made for"),
  currentGeneration: z.number().int().default(0).describe("newest generation"),
  activeGeneration: z.number().int().default(-1).describe("generation that serves, -1 before the first"),
  drainingGeneration: z.number().int().optional().describe("generation on its way out"),
  lastReplicas: z.number().int().optional().describe("last number of pods that was asked for and not 0"),
  readyReplicas: z.number().int().default(0).describe("ready pods of the active generation"),
  selector: z.string().optional().describe("label selector of the engine's pods"),
  conditions: conditionsSchema.default([]),
});
export type EngineStatus = z.infer<typeof engineStatusSchema>;

export const engineSchema = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: resourceMetadataSchema,
  spec: engineSpecSchema,
  status: engineStatusSchema.prefault({}),
});
export type Engine = z.infer<typeof engineSchema>;

/** The instance that the engine belongs to: the one it was made for, whatever its spec says since. */
export function instanceNameOf({ spec, status }: Engine): string {
  return status.observedInstance ?? spec.instanceRef;
}
