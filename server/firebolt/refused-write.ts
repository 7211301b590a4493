import { type Condition, setCondition } from "@/machines/conditions";
import { type Failure } from "@/server/reconcile/reconciler";

type Told = { metadata: { generation: number }; status: { conditions: Condition[] } };

/**
 * The status that tells of a write which the API server refused: for good, such as a template with an invalid value, or
 * until an administrator allows it, such as one beyond a quota. A hiccup of the API server is no news of the resource.
 */
export function refusedWrite(
  { metadata, status }: Told,
  failure: Failure,
  now: number,
): Record<string, unknown> | null {
  if (failure.kind === "transient" && failure.reason !== "Forbidden") return null;
  const { reason, message } = failure;
  const ready = { type: "Ready", status: "False", reason, message, observedGeneration: metadata.generation } as const;
  return { ...status, conditions: setCondition(status.conditions, ready, now) };
}
