import { z } from "zod";
import { feldera } from "@/machines/feldera/family";
import { firebolt } from "@/machines/firebolt/family";
import { faultText, type FieldFault } from "@/server/firebolt/field-rule";
import { felderaRules } from "./feldera-rules";
import { fireboltRules } from "./firebolt-rules";
import { type AdmissionRequest, requestSchema, type ReviewDeps, type RulesOf } from "./rules";

export const reviewSchema = z.object({
  apiVersion: z.literal("admission.k8s.io/v1"),
  kind: z.literal("AdmissionReview"),
  request: requestSchema,
});

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

const rulesOf: Record<string, RulesOf> = {
  [firebolt.kinds.engine.api.group]: fireboltRules,
  [feldera.kinds.pipeline.api.group]: felderaRules,
};

async function faultsOf(deps: ReviewDeps, request: AdmissionRequest): Promise<FieldFault[]> {
  const { group, resource } = request.resource;
  const rules = rulesOf[group]?.[resource]?.[request.operation];
  return rules && !isLeaving(request) ? await rules(deps, request) : [];
}

/** What goes away must be able to lose its finalizers, however wrong its spec is. */
function isLeaving({ object }: AdmissionRequest): boolean {
  const metadata = object?.metadata as { deletionTimestamp?: string } | undefined;
  return metadata?.deletionTimestamp !== undefined;
}
