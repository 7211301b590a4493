import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { engineClassSchema } from "@/machines/firebolt/engine-class.schema";
import { engineSchema } from "@/machines/firebolt/engine.schema";
import { firebolt } from "@/machines/firebolt/family";
import { classSpecFaults, engineBoundsFaults, engineSpecFaults, nameFaults } from "@/server/firebolt/engine-verdict";
import { faultText, type FieldFault } from "@/server/firebolt/field-rule";
import { type ResourceBounds } from "@/server/firebolt/resource-bounds";
import { type KubernetesClient } from "@/server/kubernetes/client";
import { isNotFound } from "@/server/kubernetes/errors";

export const reviewSchema = z.object({
  apiVersion: z.literal("admission.k8s.io/v1"),
  kind: z.literal("AdmissionReview"),
  request: z.object({
    uid: z.string().min(1),
    resource: z.object({ group: z.string(), version: z.string(), resource: z.string() }),
    operation: z.enum(["CREATE", "UPDATE", "DELETE", "CONNECT"]),
    name: z.string().optional(),
    namespace: z.string().optional(),
    object: z.looseObject({}).nullish(),
    oldObject: z.looseObject({}).nullish(),
  }),
});
type AdmissionRequest = z.infer<typeof reviewSchema>["request"];

export type ReviewDeps = { client: KubernetesClient; bounds: ResourceBounds };

/** The answer to an AdmissionReview: allowed, or every rule that is broken, each with its field. */
export async function answerReview(deps: ReviewDeps, { request }: z.infer<typeof reviewSchema>) {
  const faults = await faultsOf(deps, request);
  const response = faults.length === 0 ? { allowed: true } : { allowed: false, status: statusOf(request, faults) };
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid: request.uid, ...response } };
}

function statusOf(request: AdmissionRequest, faults: readonly FieldFault[]) {
  return {
    apiVersion: "v1",
    kind: "Status",
    status: "Failure",
    code: request.operation === "DELETE" ? 409 : 422,
    reason: request.operation === "DELETE" ? "Conflict" : "Invalid",
    message: faultText(faults),
    details: { causes: faults.map(({ path, message }) => ({ reason: "FieldValueInvalid", field: path, message })) },
  };
}

async function faultsOf(deps: ReviewDeps, request: AdmissionRequest): Promise<FieldFault[]> {
  const { group, resource } = request.resource;
  const rules = group === firebolt.kinds.engine.api.group ? rulesOf[resource]?.[request.operation] : undefined;
  return rules && !isLeaving(request) ? await rules(deps, request) : [];
}

/** What goes away must be able to lose its finalizers, however wrong its spec is. */
function isLeaving({ object }: AdmissionRequest): boolean {
  const metadata = object?.metadata as { deletionTimestamp?: string } | undefined;
  return metadata?.deletionTimestamp !== undefined;
}

/** Only labels, annotations or finalizers change, of an object that may have been let in before a rule came to be. */
function keepsSpec({ operation, object, oldObject }: AdmissionRequest): boolean {
  return operation === "UPDATE" && isDeepStrictEqual(object?.spec, oldObject?.spec);
}

type Rules = (deps: ReviewDeps, request: AdmissionRequest) => Promise<FieldFault[]> | FieldFault[];

const rulesOf: Record<string, Partial<Record<AdmissionRequest["operation"], Rules>>> = {
  fireboltengines: { CREATE: engineFaults, UPDATE: engineFaults },
  fireboltengineclasses: { CREATE: classFaults, UPDATE: classFaults, DELETE: boundClassFaults },
};

async function engineFaults({ client, bounds }: ReviewDeps, request: AdmissionRequest): Promise<FieldFault[]> {
  const parsed = engineSchema.safeParse(named(request));
  const kept = keepsSpec(request);
  if (!parsed.success) return kept ? [] : issuesOf(parsed.error);
  const engine = parsed.data;
  const engineClass = await classOf(client, engine.metadata.namespace, engine.spec.engineClassRef);
  // A maximum holds for every update: an engine above it does not go on as if it were not.
  const excess = engineBoundsFaults(engine, engineClass, bounds);
  if (kept) return excess;
  const old = request.oldObject?.spec as { instanceRef?: string } | undefined;
  const moved = old?.instanceRef !== undefined && old.instanceRef !== engine.spec.instanceRef;
  return [
    ...nameFaults(engine.metadata.name),
    ...(moved ? [{ path: "spec.instanceRef", message: "instanceRef is immutable" }] : []),
    ...engineSpecFaults(engine),
    ...excess,
  ];
}

function classFaults(_: ReviewDeps, request: AdmissionRequest): FieldFault[] {
  if (keepsSpec(request)) return [];
  const parsed = engineClassSchema.safeParse(named(request));
  return parsed.success ? classSpecFaults(parsed.data) : issuesOf(parsed.error);
}

async function boundClassFaults({ client }: ReviewDeps, request: AdmissionRequest): Promise<FieldFault[]> {
  const { items } = await client.list(firebolt.kinds.engine.api, { namespace: request.namespace });
  const bound = items.filter(({ spec }) => spec?.engineClassRef === request.name).map(({ metadata }) => metadata.name);
  if (bound.length === 0) return [];
  return [{ path: "metadata.name", message: `the class is still named by ${bound.slice(0, 5).join(", ")}` }];
}

/** An object that the API server is about to name has none yet; what its name will be is not ours to judge. */
function named({ object, name, namespace }: AdmissionRequest) {
  const metadata = (object?.metadata ?? {}) as Record<string, unknown>;
  return { ...object, metadata: { namespace, ...metadata, name: metadata.name ?? (name || "generated") } };
}

async function classOf(client: KubernetesClient, namespace: string, name: string | undefined) {
  if (name === undefined) return null;
  try {
    const found = engineClassSchema.safeParse(await client.get(firebolt.kinds.engineClass.api, { namespace, name }));
    return found.success ? found.data : null;
  } catch (error) {
    // An engine may come before its class; the reconciler tells that it waits.
    if (isNotFound(error)) return null;
    throw error;
  }
}

function issuesOf(error: z.ZodError): FieldFault[] {
  return error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
}
