import { apis } from "@/server/kubernetes/apis";
import { type Api, type KubernetesObject } from "@/server/kubernetes/object";
import { selectorOf } from "@/server/reconcile/label-selector";
import { type Effect, type Plan } from "@/server/reconcile/plan";
import { type World } from "@/server/reconcile/world";
import { deleteEffect } from "./generation-sweep";

/** What an owner that goes still has, and why some of it could not be listed. */
export type LastLook = { owned: KubernetesObject[]; unlisted: string[] };

type Owner = { namespace: string; uid: string; labels: Record<string, string> };

/**
 * The last look before everything goes is taken at the cluster itself: nothing comes back for what a cache missed. A kind
 * that cannot be listed holds up no other: what was found goes, and the owner stays until all of it was.
 */
export async function lastLook(
  world: World,
  { namespace, uid, labels }: Owner,
  kinds: readonly Api[],
): Promise<LastLook> {
  const labelSelector = selectorOf(labels);
  // A name that is too long for a label was refused before anything could be made.
  if (labelSelector === null) return { owned: [], unlisted: [] };
  const isMine = ({ metadata }: KubernetesObject) => metadata.ownerReferences?.some((owner) => owner.uid === uid);
  const list = async (api: Api): Promise<LastLook> => {
    try {
      const found = await world.live.list(api, { namespace, labelSelector });
      // Claims are made by the StatefulSet controller, and have no owner.
      return { owned: api === apis.persistentVolumeClaim ? found : found.filter(isMine), unlisted: [] };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { owned: [], unlisted: [`${api.plural} cannot be listed: ${message}`] };
    }
  };
  const looks = await Promise.all([...kinds, apis.persistentVolumeClaim].map(list));
  return { owned: looks.flatMap(({ owned }) => owned), unlisted: looks.flatMap(({ unlisted }) => unlisted) };
}

/** Deletes of all that was found; the finalizer goes only where nothing may have been overlooked. */
export function removeEffects({ owned, unlisted }: LastLook, finalizer: string): Effect[] {
  const deletes = owned.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(deleteEffect);
  return unlisted.length > 0 ? deletes : [...deletes, { type: "removeFinalizer", finalizer }];
}

export function unlistedFailure(look: LastLook | null): Pick<Plan, "failure"> {
  if (!look || look.unlisted.length === 0) return {};
  return { failure: { kind: "transient", message: look.unlisted.join("; ") } };
}
