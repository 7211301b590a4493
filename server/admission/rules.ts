import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type FieldFault } from "@/server/firebolt/field-rule";
import { type ResourceBounds } from "@/server/firebolt/resource-bounds";
import { type KubernetesClient } from "@/server/kubernetes/client";

export const requestSchema = z.object({
  uid: z.string().min(1),
  resource: z.object({ group: z.string(), version: z.string(), resource: z.string() }),
  operation: z.enum(["CREATE", "UPDATE", "DELETE", "CONNECT"]),
  name: z.string().optional(),
  namespace: z.string().optional(),
  object: z.looseObject({}).nullish(),
  oldObject: z.looseObject({}).nullish(),
});
export type AdmissionRequest = z.infer<typeof requestSchema>;

export type ReviewDeps = { client: KubernetesClient; bounds: ResourceBounds };

type Rules = (deps: ReviewDeps, request: AdmissionRequest) => Promise<FieldFault[]> | FieldFault[];

/** By the plural of a kind and what is done to it: the rules that it may break. */
export type RulesOf = Record<string, Partial<Record<AdmissionRequest["operation"], Rules>>>;

/** Only labels, annotations or finalizers change, of an object that may have been let in before a rule came to be. */
export function keepsSpec({ operation, object, oldObject }: AdmissionRequest): boolean {
  return operation === "UPDATE" && isDeepStrictEqual(object?.spec, oldObject?.spec);
}

/** An object that the API server is about to name has none yet; what its name will be is not ours to judge. */
export function named({ object, name, namespace }: AdmissionRequest) {
  const metadata = (object?.metadata ?? {}) as Record<string, unknown>;
  return { ...object, metadata: { namespace, ...metadata, name: metadata.name ?? (name || "generated") } };
}

export function issuesOf(error: z.ZodError): FieldFault[] {
  return error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
}
