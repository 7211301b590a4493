import { apis } from "@/server/kubernetes/apis";
import { apiVersionOf, type KubernetesObject } from "@/server/kubernetes/object";
import { bodyOf, createAppliedMemory } from "@/server/reconcile/applied-memory";
import type { Effect, Plan } from "@/server/reconcile/plan";
import type { Reading } from "./read-resource";

type Looked = Pick<Reading, "remembered" | "world">;
type Named = { apiVersion: string; kind: string; namespace?: string | undefined; name: string };

/** The plan without what is so already: the worker sends no write that changes nothing. */
export async function changing(plan: Plan, looked: Looked): Promise<Plan> {
  const isLast = plan.effects.some(({ type }) => type === "removeFinalizer");
  const isDone = await Promise.all(plan.effects.map((effect) => isSoAlready(effect, looked, isLast)));
  return { ...plan, effects: plan.effects.filter((_, at) => !isDone[at]) };
}

async function isSoAlready(effect: Effect, looked: Looked, isLast: boolean): Promise<boolean> {
  if (effect.type === "ensure") {
    const { apiVersion, kind, metadata } = effect.object;
    const live = await find(looked, { apiVersion, kind, ...metadata });
    if (!live) return false;
    return Boolean(live.metadata.deletionTimestamp) || createAppliedMemory().holds(bodyOf(effect.object), live);
  }
  if (effect.type !== "delete") return false;
  const live = await find(looked, effect.target);
  if (!live || (effect.target.uid && live.metadata.uid !== effect.target.uid)) return true;
  // Before a finalizer goes, what is on its way out is asked to go once more.
  return Boolean(live.metadata.deletionTimestamp) && !isLast;
}

/** As the reconciler saw it, or, where it did not look, as it is now. */
async function find({ remembered, world }: Looked, named: Named): Promise<KubernetesObject | null> {
  const { apiVersion, kind, namespace, name } = named;
  const seen = [...remembered.values()].find(
    ({ metadata, ...object }) => object.kind === kind && metadata.name === name && metadata.namespace === namespace,
  );
  if (seen) return seen;
  const api = Object.values(apis).find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  return api ? world.get(api, { ...(namespace ? { namespace } : {}), name }) : null;
}
