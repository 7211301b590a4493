import { KubernetesError } from "@/server/kubernetes/errors";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Effect, type Plan } from "./plan";

/** The plan as it may be shown and stored: what a Secret holds is left out. */
export function redactPlan(plan: Plan): Plan {
  return plan.effects.some(holdsSecret) ? { ...plan, effects: plan.effects.map(redactEffect) } : plan;
}

export function redactObject(object: KubernetesObject): KubernetesObject {
  if (!isSecret(object)) return object;
  const { data, stringData, ...rest } = object;
  return {
    ...rest,
    ...(data ? { data: hidden(data) } : {}),
    ...(stringData ? { stringData: hidden(stringData) } : {}),
  };
}

/**
 * The API server quotes a value that it refuses, and a Secret's value belongs in no condition, log or error: of such
 * an error only the reason and the names of the fields are kept.
 */
export function redactError(error: unknown, target: { apiVersion: string; kind: string }, name: string): unknown {
  if (!isSecret(target) || !(error instanceof KubernetesError)) return error;
  const fields = error.causes.flatMap((cause) => cause.field ?? []);
  return new KubernetesError({
    kind: error.kind,
    code: error.code,
    reason: error.reason,
    message: `Secret ${name} was not written: ${error.reason}${fields.length > 0 ? ` (${fields.join(", ")})` : ""}`,
    outcome: error.outcome,
    retryAfterMs: error.retryAfterMs,
    causes: fields.map((field) => ({ field })),
  });
}

function isSecret(object: { apiVersion: string; kind: string }): boolean {
  return object.kind === "Secret" && object.apiVersion === "v1";
}

function holdsSecret(effect: Effect): boolean {
  return effect.type === "ensure" && isSecret(effect.object);
}

function redactEffect(effect: Effect): Effect {
  return effect.type === "ensure" ? { ...effect, object: redactObject(effect.object) } : effect;
}

function hidden(values: unknown): Record<string, string> {
  return Object.fromEntries(Object.keys(values ?? {}).map((key) => [key, "(hidden)"]));
}
