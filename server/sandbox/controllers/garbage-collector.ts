import { type KubernetesObject, type OwnerReference } from "@/server/kubernetes/object";
import { type Cluster } from "@/server/sandbox/cluster";
import { codeOf } from "./shelves";
import { type Running } from "./controller";
import { createControlLoop } from "./control-loop";

const FOREGROUND = "foregroundDeletion";
const ORPHAN = "orphan";
const ctx = {
  user: {
    username: "system:serviceaccount:kube-system:generic-garbage-collector",
    groups: ["system:serviceaccounts", "system:authenticated", "system:masters"],
  },
};

type Entry = { storageKey: string; object: KubernetesObject };

/** Deletes what nobody owns any more, and carries out foreground and orphaning deletion for every kind there is. */
export function startGarbageCollector(cluster: Cluster): Running {
  const { clock } = cluster;
  const byUid = new Map<string, Entry>();
  const dependents = new Map<string, Set<string>>();
  const loop = createControlLoop({ clock, reconcile: (uid) => collect(uid) });

  const note = ({ storageKey, object }: Entry) => {
    const uid = object.metadata.uid ?? "";
    byUid.set(uid, { storageKey, object });
    for (const owner of object.metadata.ownerReferences ?? []) {
      dependents.set(owner.uid, (dependents.get(owner.uid) ?? new Set()).add(uid));
    }
    if ((object.metadata.ownerReferences?.length ?? 0) > 0 || isHeldByUs(object)) loop.add(uid);
  };
  const forget = (object: KubernetesObject) => {
    for (const owner of object.metadata.ownerReferences ?? []) {
      const siblings = dependents.get(owner.uid);
      siblings?.delete(object.metadata.uid ?? "");
      if (siblings?.size === 0) dependents.delete(owner.uid);
    }
  };

  for (const storageKey of cluster.store.storageKeys()) {
    for (const object of cluster.store.all(storageKey)) note({ storageKey, object });
  }
  const unwatch = cluster.watch("*", (change) => {
    // Events and leases own nothing, are owned by nobody, and are many.
    if (change.storageKey === "events") return;
    if (change.old) forget(change.old);
    if (change.type === "DELETED") {
      const uid = change.object.metadata.uid ?? "";
      byUid.delete(uid);
      dependents.get(uid)?.forEach((dependent) => loop.add(dependent));
      // An owner that waits for its dependents may be free to go now.
      change.object.metadata.ownerReferences?.forEach((owner) => loop.add(owner.uid));
      return;
    }
    note(change);
    if (change.old && ownersChanged(change.old, change.object))
      change.old.metadata.ownerReferences?.forEach((owner) => loop.add(owner.uid));
  });

  async function collect(uid: string): Promise<number | undefined> {
    const entry = byUid.get(uid);
    if (!entry) return undefined;
    const { finalizers, deletionTimestamp } = entry.object.metadata;
    if (deletionTimestamp && finalizers?.includes(ORPHAN)) return orphanDependents(entry);
    if (deletionTimestamp && finalizers?.includes(FOREGROUND)) return deleteDependents(entry);
    return collectDependent(entry);
  }

  /** Only when no owner is left, or when the ones that are left wait for it. */
  async function collectDependent({ storageKey, object }: Entry): Promise<number | undefined> {
    const owners = object.metadata.ownerReferences ?? [];
    if (owners.length === 0 || object.metadata.deletionTimestamp) return undefined;
    const found = owners.map((reference) => ({ reference, state: stateOf(object, reference) }));
    const solid = found.filter(({ state }) => state === "there");
    const waiting = found.filter(({ state }) => state === "waiting");
    const gone = found.filter(({ state }) => state === "absent");
    if (solid.length > 0) {
      if (gone.length + waiting.length > 0)
        await keepOwners(
          { storageKey, object },
          solid.map(({ reference }) => reference),
        );
      return undefined;
    }
    const ownDependents = [...(dependents.get(object.metadata.uid ?? "") ?? [])];
    const foreground = waiting.length > 0 && ownDependents.length > 0;
    await remove({ storageKey, object }, propagationOf(object, foreground));
    return undefined;
  }

  function stateOf(object: KubernetesObject, { uid }: OwnerReference): "there" | "waiting" | "absent" {
    const owner = byUid.get(uid)?.object;
    if (!owner) return "absent";
    // A namespaced owner must live beside its dependent.
    if (owner.metadata.namespace && owner.metadata.namespace !== object.metadata.namespace) return "absent";
    return owner.metadata.deletionTimestamp && owner.metadata.finalizers?.includes(FOREGROUND) ? "waiting" : "there";
  }

  async function deleteDependents(owner: Entry): Promise<undefined> {
    const uid = owner.object.metadata.uid ?? "";
    const left = dependentsOf(uid);
    for (const { object } of left) loop.add(object.metadata.uid ?? "");
    const blocking = left.filter(({ object }) =>
      object.metadata.ownerReferences?.some((reference) => reference.uid === uid && reference.blockOwnerDeletion),
    );
    if (blocking.length === 0) await dropFinalizer(owner, FOREGROUND);
    return undefined;
  }

  async function orphanDependents(owner: Entry): Promise<undefined> {
    const uid = owner.object.metadata.uid ?? "";
    for (const dependent of dependentsOf(uid)) {
      const owners = (dependent.object.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
      await keepOwners(dependent, owners);
    }
    await dropFinalizer(owner, ORPHAN);
    return undefined;
  }

  const dependentsOf = (uid: string) =>
    [...(dependents.get(uid) ?? [])].flatMap((dependent) => byUid.get(dependent) ?? []);

  async function remove({ storageKey, object }: Entry, propagation: "Background" | "Foreground" | "Orphan") {
    const { uid, namespace, name } = object.metadata;
    await unlessGone(cluster.delete(refOf(storageKey), namespace, name, { ...(uid ? { uid } : {}), propagation }, ctx));
  }

  async function keepOwners(entry: Entry, owners: OwnerReference[]) {
    await rewrite(entry, (metadata) => ({ ...metadata, ownerReferences: owners }));
  }

  async function dropFinalizer(entry: Entry, finalizer: string) {
    await rewrite(entry, (metadata) => ({
      ...metadata,
      finalizers: metadata.finalizers?.filter((name) => name !== finalizer) ?? [],
    }));
  }

  async function rewrite(
    { storageKey, object }: Entry,
    change: (metadata: KubernetesObject["metadata"]) => KubernetesObject["metadata"],
  ) {
    const { namespace, name, uid } = object.metadata;
    const same = (old: KubernetesObject) =>
      old.metadata.uid === uid ? { ...old, metadata: change(old.metadata) } : old;
    await unlessGone(cluster.change(refOf(storageKey), { namespace, name }, same, ctx));
  }

  return {
    idle: loop.idle,
    stop: async () => {
      unwatch();
      await loop.stop();
    },
  };
}

/** A dependent that asked to be deleted in its own way keeps that way. */
function propagationOf({ metadata }: KubernetesObject, foreground: boolean): "Background" | "Foreground" | "Orphan" {
  if (metadata.finalizers?.includes(ORPHAN)) return "Orphan";
  return foreground || metadata.finalizers?.includes(FOREGROUND) ? "Foreground" : "Background";
}

function isHeldByUs({ metadata }: KubernetesObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).some((name) => name === FOREGROUND || name === ORPHAN)
  );
}

function ownersChanged(a: KubernetesObject, b: KubernetesObject): boolean {
  const uids = (object: KubernetesObject) => (object.metadata.ownerReferences ?? []).map(({ uid }) => uid).join();
  return uids(a) !== uids(b);
}

/** `deployments.apps` → the group and the plural; the group may have dots, the plural has none. */
function refOf(storageKey: string): { group: string; plural: string } {
  const dot = storageKey.indexOf(".");
  return dot < 0
    ? { group: "", plural: storageKey }
    : { group: storageKey.slice(dot + 1), plural: storageKey.slice(0, dot) };
}

async function unlessGone(write: Promise<unknown>) {
  try {
    await write;
  } catch (error) {
    const code = codeOf(error);
    if (code !== 404 && code !== 409) throw error;
  }
}
