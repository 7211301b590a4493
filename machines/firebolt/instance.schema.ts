import { z } from "zod";
import { conditionsSchema } from "../conditions";
import { podTemplateSchema } from "./pod-template.schema";
import { resourceMetadataSchema } from "./resource-metadata.schema";

export const instancePhases = ["Provisioning", "Ready", "Degraded", "Failed"] as const;

const postgresSchema = z.object({
  host: z.string().min(1),
  port: z.int32().min(1).max(65_535).default(5432),
  database: z.string().min(1),
  schema: z.string().min(1).default("public"),
  credentialsSecretRef: z.object({ name: z.string().min(1) }).describe("Secret with the keys username and password"),
});

export const instanceSpecSchema = z.object({
  id: z.string().min(1).optional().describe("account of the metadata service; generated once, never changed"),
  metadata: z
    .object({
      replicas: z.int32().min(1).max(1).default(1),
      template: podTemplateSchema.optional(),
      postgres: postgresSchema.optional().describe("PostgreSQL to use in place of one of our own"),
    })
    .prefault({}),
  gateway: z
    .object({
      replicas: z.int32().min(0).default(2),
      metricsPort: z.int32().min(1).max(65_535).default(9090),
      template: podTemplateSchema.optional(),
    })
    .prefault({}),
  metricScrapeMode: z
    .enum(["PodIP", "ApiserverProxy"])
    .default("PodIP")
    .describe("how the metrics of engine pods are reached"),
});

export const instanceStatusSchema = z.object({
  phase: z.enum(instancePhases).default("Provisioning"),
  phaseSince: z.string().optional().describe("when the instance entered its phase"),
  observedGeneration: z.number().int().optional(),
  observedId: z.string().optional().describe("the id that the instance was made with"),
  metadataReady: z.boolean().default(false),
  metadataEndpoint: z.string().optional().describe("absent while the metadata service is not ready"),
  gatewayReady: z.boolean().default(false),
  gatewayEndpoint: z.string().optional(),
  conditions: conditionsSchema.default([]),
});

export const instanceSchema = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: resourceMetadataSchema,
  spec: instanceSpecSchema,
  status: instanceStatusSchema.prefault({}),
});
export type Instance = z.infer<typeof instanceSchema>;
