import type { Known } from "@/machines/facts";
import type { Kind } from "@/machines/kind";
import { isNotFound, KubernetesError } from "@/server/kubernetes/errors";
import type { KubernetesObject } from "@/server/kubernetes/object";
import type { AnyReconciler } from "@/server/reconcile/reconciler";
import type { World } from "@/server/reconcile/world";
import { kindOf, reconcilerOf, type Context } from "./context";
import { rememberingWorld, type MadeHere, type Remembered } from "./remembering-world";
import type { Ref } from "./ref";
import { Refused } from "./refusal";

/** A resource as it is now: the freshest object, and what the reconciler makes of the world around it. */
export type Reading = {
  ref: Ref;
  kind: Kind;
  reconciler: AnyReconciler;
  object: KubernetesObject;
  resource: unknown;
  seen: unknown;
  known: Record<string, Known>;
  world: World;
  /** Everything that was looked at on the way. */
  remembered: Remembered;
  now: number;
};

export async function readResource(context: Context, ref: Ref): Promise<Reading> {
  const kind = kindOf(context, ref.kind);
  const reconciler = reconcilerOf(context, ref.kind);
  // What was made for it is asked for with the object itself: one journey to the API server instead of two.
  const looking = rememberingWorld(context.world(context.clock.now()), madeFor(reconciler, ref));
  const object = await objectOf(context, kind, ref);
  const now = context.clock.now();
  const { remembered } = looking;
  const world = { ...looking.world, now };
  const resource = parsed(kind, object);
  const seen = await reconciler.read(resource, world).catch(rethrown);
  return { ref, kind, reconciler, object, resource, seen, known: reconciler.known(seen), world, remembered, now };
}

function madeFor({ makes }: AnyReconciler, { namespace, name }: Ref): MadeHere | null {
  if (!makes) return null;
  return { apis: makes.apis, namespace, labels: makes.labelsOf({ namespace, name }) };
}

/** The object itself, from the API server and no cache. */
export async function objectOf({ client }: Context, kind: Kind, ref: Ref): Promise<KubernetesObject> {
  try {
    return await client.get(kind.api, keyOf(ref));
  } catch (error) {
    if (isNotFound(error)) throw new Refused("not found", `There is no ${kind.title} ${nameOf(ref)}.`);
    return rethrown(error);
  }
}

export function keyOf({ namespace, name }: Ref): { namespace?: string; name: string } {
  return namespace ? { namespace, name } : { name };
}

export function nameOf({ namespace, name }: Ref): string {
  return namespace ? `${namespace}/${name}` : name;
}

export function parsed(kind: Kind, object: KubernetesObject): unknown {
  const result = kind.schema.safeParse(object);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const sentence = `The ${kind.title} is not as its schema says: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}.`;
  throw new Refused("check failed", sentence);
}

/** Trouble with the cluster is told as such; anything else is a fault of ours and stays one. */
export function rethrown(error: unknown): never {
  if (error instanceof KubernetesError)
    throw new Refused("unavailable", "The cluster does not answer as it should; try again.", error.reason);
  throw error;
}
