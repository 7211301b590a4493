import { compareResourceVersions, type KubernetesObject, type ObjectKey } from "@/server/kubernetes/object";
import { createIndex, type Index } from "@/server/kubernetes/store-index";

/** What happened to one object of the cache. `initial`: it was there when we came, nobody has just changed it. */
export type Change =
  | { type: "added"; object: KubernetesObject; initial: boolean }
  | { type: "updated"; object: KubernetesObject; old: KubernetesObject }
  /** The last state that we knew: after a gap in the watch it may be older than the deletion. */
  | { type: "deleted"; object: KubernetesObject };

export type Where = { namespace?: string; labels?: Record<string, string>; ownerUid?: string };

/** The objects of one resource as last seen. They are shared and must not be changed. */
export type Store = {
  get(key: ObjectKey): KubernetesObject | undefined;
  list(where?: Where): KubernetesObject[];
  readonly size: number;
  /** The newest version that the cache covers, by events and bookmarks; "" before the first list. */
  readonly resourceVersion: string;
  /** True once the whole first list has been handed to the listeners. */
  readonly synced: boolean;
  /** Does the cache show what was written at this version? True when the versions cannot be compared. */
  covers(resourceVersion: string): boolean;
  subscribe(listener: (change: Change) => void): () => void;
};

/** What the reflector does to it. */
export type StoreWriter = {
  /** Takes one event of a watch. False: it is older than what we know, and was left out. */
  apply(type: "ADDED" | "MODIFIED" | "DELETED", object: KubernetesObject): boolean;
  bookmark(resourceVersion: string): void;
  /** Takes a whole list. False: the list is older than what we know, and nothing was changed. */
  replace(objects: Iterable<KubernetesObject>, resourceVersion: string, options?: { evenIfOlder?: boolean }): boolean;
};

export type StoreOptions = {
  /** A listener that throws must not end the watch: its error goes here. */
  onError?: (error: unknown) => void;
};

export function createStore({ onError = rethrowLater }: StoreOptions = {}): Store & StoreWriter {
  const objects = new Map<string, KubernetesObject>();
  const listeners = new Set<(change: Change) => void>();
  const index = createIndex(() => objects.values());
  let version = "";
  let synced = false;

  const tell = (change: Change) => {
    for (const listener of listeners) {
      try {
        listener(change);
      } catch (error) {
        onError(error);
      }
    }
  };

  const put = (key: string, object: KubernetesObject, initial: boolean) => {
    const old = objects.get(key);
    // Deleted and created again in a gap: to everybody who tracks the old one, it is gone.
    const isSame = old?.metadata.uid === object.metadata.uid;
    if (old && !isSame) remove(key, old);
    // The same version is the same object: nothing to index, nothing to tell, one copy less to keep.
    if (old && isSame && old.metadata.resourceVersion === object.metadata.resourceVersion) return;
    objects.set(key, object);
    if (!old || !isSame) {
      index.add(object);
      tell({ type: "added", object, initial });
      return;
    }
    index.remove(old);
    index.add(object);
    tell({ type: "updated", object, old });
  };

  const remove = (key: string, object: KubernetesObject) => {
    objects.delete(key);
    index.remove(object);
    tell({ type: "deleted", object });
  };

  return {
    get: (key) => objects.get(keyOf(key)),
    list: (where) => listOf(objects, index, where),
    get size() {
      return objects.size;
    },
    get resourceVersion() {
      return version;
    },
    get synced() {
      return synced;
    },
    covers: (wanted) => (compareResourceVersions(version, wanted) ?? 0) >= 0,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    apply: (type, object) => {
      const found = object.metadata.resourceVersion ?? "";
      // A watch gives the versions of its resource in order: what is not newer is a repetition or an old view.
      const order = compareResourceVersions(found, version);
      if (order !== null && order <= 0) return false;
      if (found !== "") version = found;
      const key = keyOf(object.metadata);
      const old = objects.get(key);
      if (type !== "DELETED") put(key, object, false);
      else if (old) remove(key, old);
      return true;
    },
    bookmark: (found) => {
      const order = compareResourceVersions(found, version);
      if (order === null || order > 0) version = found;
    },
    replace: (list, found, { evenIfOlder = false } = {}) => {
      const order = version === "" ? 1 : compareResourceVersions(found, version);
      if (order !== null && order < 0 && !evenIfOlder) return false;
      version = found;
      const left = new Map(objects);
      for (const object of list) {
        const key = keyOf(object.metadata);
        left.delete(key);
        put(key, object, !synced);
      }
      for (const [key, object] of left) remove(key, object);
      synced = true;
      return true;
    },
  };
}

function keyOf({ namespace = "", name }: ObjectKey): string {
  return `${namespace}/${name}`;
}

function listOf(objects: Map<string, KubernetesObject>, index: Index, where: Where = {}): KubernetesObject[] {
  const candidates = index.narrowest(where);
  if (!candidates) return [...objects.values()];
  return [...candidates].filter((object) => matches(object, where));
}

function matches({ metadata }: KubernetesObject, { namespace, labels, ownerUid }: Where): boolean {
  if (namespace !== undefined && metadata.namespace !== namespace) return false;
  if (ownerUid !== undefined && !metadata.ownerReferences?.some((owner) => owner.uid === ownerUid)) return false;
  return Object.entries(labels ?? {}).every(([label, value]) => metadata.labels?.[label] === value);
}

function rethrowLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
