import { z } from "zod";

const named = z.looseObject({ name: z.string().min(1) });

/** Amounts may be numbers in YAML ("cpu: 2"), and the API server takes them so. */
const quantity = z.union([z.string(), z.number()]).meta({ "x-kubernetes-int-or-string": true });
const quantities = z.record(z.string(), quantity);

export const resourcesSchema = z.looseObject({
  requests: quantities.optional(),
  limits: quantities.optional(),
});

export const containerSchema = named.extend({
  image: z.string().optional(),
  imagePullPolicy: z.enum(["Always", "IfNotPresent", "Never"]).optional(),
  resources: resourcesSchema.optional(),
  env: z.array(named).optional(),
  envFrom: z.array(z.looseObject({})).optional(),
  volumeMounts: z.array(named.extend({ mountPath: z.string() })).optional(),
});
export type Container = z.infer<typeof containerSchema>;

/** The parts of a pod template that are merged by a rule of their own; everything else of a pod is passed on. */
export const podTemplateSchema = z.looseObject({
  metadata: z
    .looseObject({
      labels: z.record(z.string(), z.string()).optional(),
      annotations: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
  spec: z
    .looseObject({
      containers: z.array(containerSchema).optional(),
      initContainers: z.array(containerSchema).optional(),
      volumes: z.array(named).optional(),
      nodeSelector: z.record(z.string(), z.string()).optional(),
      tolerations: z.array(z.looseObject({})).optional(),
      imagePullSecrets: z.array(z.looseObject({})).optional(),
      serviceAccountName: z.string().optional(),
    })
    .optional(),
});
export type PodTemplate = z.infer<typeof podTemplateSchema>;
