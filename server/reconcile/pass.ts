import { type Known } from "@/machines/facts";
import { observed } from "@/machines/lifecycle";
import { type Clock } from "@/server/kubernetes/clock";
import { classify, KubernetesError } from "@/server/kubernetes/errors";
import { type Api, type KubernetesObject } from "@/server/kubernetes/object";
import { type Applied, type ApplyDeps, type applyPlan, type Write } from "./apply";
import { NotLeading } from "./not-leading";
import { parseOnce } from "./parse-once";
import { type Plan } from "./plan";
import { type AnyReconciler, type Failure, type Key } from "./reconciler";
import { redactPlan } from "./redact";
import { type World } from "./world";

/** What one pass saw, wanted and did: what history and the projection are made of. No Secret's data is in it. */
export type PassOutcome = {
  id: string;
  kind: string;
  key: Key;
  /** As it was read; null: the resource is gone. */
  object: KubernetesObject | null;
  resourceAfter: KubernetesObject | null;
  /** Per lifecycle, the facts and their evidence; empty when reading failed. */
  known: Record<string, Known>;
  plan: Plan | null;
  writes: Write[];
  error?: string;
  /** When the pass began. */
  at: number;
  /** The lease's token: a write to the database with an older one is refused. */
  token: number;
};

/** What the queue does with the key next. */
export type Verdict =
  | { type: "settled"; againInMs: number | null }
  /** The resource is gone. */
  | { type: "gone" }
  /** Somebody else wrote meanwhile: at once, on the newer view. */
  | { type: "conflict"; message: string }
  | { type: "transient"; message: string; notBeforeMs: number }
  /** Nothing changes until somebody changes the resource. */
  | { type: "permanent"; message: string }
  /** The lease is not ours any more: nothing was decided. */
  | { type: "abandoned" };

export type PassDeps = {
  reconciler: AnyReconciler;
  api: Api;
  clock: Clock;
  worldAt(now: number): World;
  apply: typeof applyPlan;
  applyDeps: ApplyDeps;
  token(): number;
};

export type PassInput = { id: string; key: Key; object: KubernetesObject | null };

/** One pass over one resource: read, compute, apply. The only place that turns a failure into a retry. */
export async function pass(deps: PassDeps, input: PassInput): Promise<{ outcome: PassOutcome; verdict: Verdict }> {
  const { object } = input;
  const now = deps.clock.now();
  const outcome: PassOutcome = {
    id: input.id,
    kind: deps.reconciler.id,
    key: input.key,
    object,
    resourceAfter: object,
    known: {},
    plan: null,
    writes: [],
    at: now,
    token: deps.token(),
  };
  if (!object) return { outcome, verdict: { type: "gone" } };

  const parsed = parseOnce(deps.reconciler.kind.schema, object);
  if (!parsed.success) {
    const message = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
    outcome.error = `${object.kind} ${object.metadata.name} does not fit its schema: ${message}`;
    return { outcome, verdict: { type: "permanent", message: outcome.error } };
  }

  let failures: unknown[];
  try {
    const seen = await deps.reconciler.read(parsed.data, deps.worldAt(now));
    outcome.known = deps.reconciler.known(seen);
    const plan = deps.reconciler.compute(seen, observed, now);
    outcome.plan = redactPlan(plan);
    if (plan.effects.length === 0 && plan.status === null) failures = [];
    else failures = absorb(outcome, await deps.apply(deps.applyDeps, { api: deps.api, object }, plan));
  } catch (error) {
    failures = [error];
  }
  const verdict = verdictOf(failures, outcome.plan);
  if ("message" in verdict) outcome.error = verdict.message;
  // What it wrote stays, and what it had in mind is not where the resource is.
  else if (verdict.type === "abandoned") outcome.error = messageOf(failures[0]);
  if (failures.length > 0) await tellFailure(deps, outcome, parsed.data, verdict, failures);
  return { outcome, verdict };
}

function absorb(outcome: PassOutcome, applied: Applied): unknown[] {
  outcome.writes.push(...applied.writes);
  outcome.resourceAfter = applied.object;
  return applied.failures;
}

/** Several failures: one that may pass makes all of them worth another try. */
function verdictOf(failures: unknown[], plan: Plan | null): Verdict {
  if (failures.some((error) => error instanceof NotLeading)) return { type: "abandoned" };
  if (failures.length > 0) {
    const message = failures.map(messageOf).join("; ");
    const classes = new Set(failures.map(classify));
    if (classes.has("transient")) return { type: "transient", message, notBeforeMs: notBeforeOf(failures) };
    return classes.has("conflict") ? { type: "conflict", message } : { type: "permanent", message };
  }
  if (plan?.failure) return { type: plan.failure.kind, message: plan.failure.message, notBeforeMs: 0 };
  return { type: "settled", againInMs: plan?.requeueAfterMs ?? null };
}

/** Puts the failure into the resource's status, where its kind has a place for it. */
async function tellFailure(
  deps: PassDeps,
  outcome: PassOutcome,
  resource: unknown,
  verdict: Verdict,
  failures: unknown[],
): Promise<void> {
  const object = outcome.resourceAfter;
  if (!object || (verdict.type !== "transient" && verdict.type !== "permanent")) return;
  const failure: Failure = { kind: verdict.type, reason: reasonOf(failures), message: verdict.message };
  const status = deps.reconciler.statusOfFailure?.(resource, failure, outcome.at) ?? null;
  if (!status) return;
  const plan: Plan = { steps: {}, effects: [], status, requeueAfterMs: null };
  // If even this fails, the failure itself is already on its way: logged, counted and tried again.
  absorb(outcome, await deps.apply(deps.applyDeps, { api: deps.api, object }, plan));
}

function notBeforeOf(failures: unknown[]): number {
  return Math.max(0, ...failures.map((error) => (error instanceof KubernetesError ? (error.retryAfterMs ?? 0) : 0)));
}

function reasonOf([error]: unknown[]): string {
  return error instanceof KubernetesError && /^[A-Z][A-Za-z]*$/.test(error.reason) ? error.reason : "ReconcileFailed";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
