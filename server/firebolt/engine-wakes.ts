import { firebolt } from "@/machines/firebolt/family";
import { apis } from "@/server/kubernetes/apis";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Change } from "@/server/kubernetes/store";
import { sameValue } from "@/server/reconcile/merge-patch";
import { type Key } from "@/server/reconcile/reconciler";
import { type World } from "@/server/reconcile/world";
import { generationOf, labels } from "./generation-names";

/** Whom a change of a pod concerns. */
export function ofItsPods({ metadata }: KubernetesObject): Key[] {
  const name = metadata.labels?.[labels.engine];
  return name === undefined ? [] : [{ namespace: metadata.namespace ?? "", name }];
}

/**
 * Whom a change of a StatefulSet, Service or ConfigMap concerns. Nobody reads a status of theirs, since pods are counted;
 * and a part that comes while the engine waits for its first pod brings nothing that could be done next.
 */
export async function ofItsParts(object: KubernetesObject, world: World, change: Change): Promise<Key[]> {
  const keys = ofItsPods(object);
  if (isOfStatusOnly(change)) return [];
  if (change.type !== "added") return keys;
  const awaited = await Promise.all(keys.map((key) => awaitsFirstPod(key, object, world)));
  return keys.filter((_, index) => !awaited[index]);
}

/** Where requests go is looked at only while an old generation drains. */
export async function whileDraining(endpoints: KubernetesObject, world: World): Promise<Key[]> {
  const keys = ofItsPods(endpoints);
  const engines = await Promise.all(keys.map((key) => world.get(firebolt.kinds.engine.api, key)));
  return keys.filter((_, index) => engines[index]?.status?.phase === "draining");
}

/** The engines that belong to this instance, whatever their specs say since they were made for it. */
export function onItsInstance(instance: KubernetesObject, world: World): Promise<Key[]> {
  return naming(instance, world, ({ spec, status }) => status?.observedInstance ?? spec?.instanceRef);
}

export function ofItsClass(engineClass: KubernetesObject, world: World): Promise<Key[]> {
  return naming(engineClass, world, ({ spec }) => spec?.engineClassRef);
}

async function naming(
  { metadata: { namespace = "", name } }: KubernetesObject,
  world: World,
  nameIn: (engine: KubernetesObject) => unknown,
): Promise<Key[]> {
  const engines = await world.list(firebolt.kinds.engine.api, { namespace });
  return engines.filter((one) => nameIn(one) === name).map(({ metadata }) => ({ namespace, name: metadata.name }));
}

/** The pass that made the parts looks again by itself; until then only a pod can bring the engine on. */
async function awaitsFirstPod(key: Key, part: KubernetesObject, world: World): Promise<boolean> {
  const engine = await world.get(firebolt.kinds.engine.api, key);
  const { phase, currentGeneration } = engine?.status ?? {};
  if (phase !== "creating" || currentGeneration !== generationOf(part) || engine?.spec?.replicas === 0) return false;
  const pods = await world.list(apis.pod, { namespace: key.namespace, labels: part.metadata.labels ?? {} });
  return pods.length === 0;
}

/** Nothing but the status was changed, of an object that counts the changes of its spec. */
function isOfStatusOnly(change: Change): boolean {
  if (change.type !== "updated" || change.object.metadata.generation === undefined) return false;
  return sameValue(besidesStatus(change.old), besidesStatus(change.object));
}

function besidesStatus({ metadata }: KubernetesObject) {
  const { uid, generation, deletionTimestamp, labels, annotations, ownerReferences, finalizers } = metadata;
  return { uid, generation, deletionTimestamp, labels, annotations, ownerReferences, finalizers };
}
