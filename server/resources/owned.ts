import { z } from "zod";
import { apis } from "@/server/kubernetes/apis";
import type { Api, KubernetesObject } from "@/server/kubernetes/object";
import type { World } from "@/server/reconcile/world";
import type { Remembered } from "./remembering-world";

/** What a resource owns, directly or through what it owns. */
export type Owned = { object: KubernetesObject; ownerUid: string };

/** From what the reconciler looked at, and from there down: the pods and claims of what it owns. */
export async function ownedBy(uid: string, remembered: Remembered, world: World): Promise<Owned[]> {
  const pool = new Map(remembered);
  const owners = [...pool.values()].filter((object) => childrenOf[object.kind] && leadsTo(uid, object, pool));
  await Promise.all(owners.map((owner) => addChildren(owner, pool, world)));
  return [...pool.values()].flatMap((object) => {
    const ownerUid = ownerOf(object, pool);
    return ownerUid && object.metadata.uid !== uid && leadsTo(uid, object, pool) ? [{ object, ownerUid }] : [];
  });
}

/** Controllers of Kubernetes, and what they make: found by the selector that they themselves use. */
const childrenOf: Record<string, readonly Api[]> = {
  StatefulSet: [apis.pod, apis.persistentVolumeClaim],
  Deployment: [apis.replicaSet, apis.pod],
  ReplicaSet: [apis.pod],
  Job: [apis.pod],
};

const selectorSchema = z.object({ selector: z.object({ matchLabels: z.record(z.string(), z.string()) }) });

async function addChildren(owner: KubernetesObject, pool: Remembered, world: World): Promise<void> {
  const spec = selectorSchema.safeParse(owner.spec);
  if (!spec.success) return;
  const where = { namespace: owner.metadata.namespace, labels: spec.data.selector.matchLabels };
  const lists = await Promise.all((childrenOf[owner.kind] ?? []).map((api) => world.list(api, where)));
  for (const child of lists.flat()) if (child.metadata.uid) pool.set(child.metadata.uid, child);
}

/** Claims of a StatefulSet carry no owner: they belong to the set whose pods use them, by their name. */
function ownerOf(object: KubernetesObject, pool: Remembered): string | undefined {
  const owner =
    object.metadata.ownerReferences?.find((reference) => pool.has(reference.uid)) ??
    object.metadata.ownerReferences?.[0];
  if (owner) return owner.uid;
  if (object.kind !== "PersistentVolumeClaim") return undefined;
  for (const [uid, set] of pool) {
    if (set.kind === "StatefulSet" && new RegExp(`-${set.metadata.name}-\\d+$`).test(object.metadata.name)) return uid;
  }
  return undefined;
}

function leadsTo(uid: string, object: KubernetesObject, pool: Remembered): boolean {
  let current: KubernetesObject | undefined = object;
  for (let hops = 0; current && hops < 6; hops++) {
    const ownerUid: string | undefined = ownerOf(current, pool);
    if (ownerUid === uid) return true;
    current = ownerUid ? pool.get(ownerUid) : undefined;
  }
  return false;
}
