import { type KubernetesObject } from "@/server/kubernetes/object";

export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/** One write. `old` is what was there before it; of a DELETED change, `object` is the last state with the revision of the delete. */
export type Change = {
  type: ChangeType;
  revision: number;
  storageKey: string;
  object: KubernetesObject;
  old: KubernetesObject | undefined;
};

export type Store = {
  revision(): number;
  get(storageKey: string, namespace: string | undefined, name: string): KubernetesObject | undefined;
  /** In no particular order. */
  all(storageKey: string, namespace?: string): Iterable<KubernetesObject>;
  /** What was there at an earlier revision, or null when that is compacted. */
  allAt(storageKey: string, revision: number): Map<string, KubernetesObject> | null;
  count(storageKey: string): number;
  /** Stores the object under the next revision; listeners hear of it before this returns. */
  put(storageKey: string, object: KubernetesObject): KubernetesObject;
  remove(storageKey: string, object: KubernetesObject): KubernetesObject;
  /** Changes after `revision`, or null when they are compacted. */
  changesSince(storageKey: string, revision: number): readonly Change[] | null;
  compactedRevision(storageKey: string): number;
  /** Forgets the history up to now, as etcd's compaction does. */
  compact(): void;
  /** `*`: everything. */
  subscribe(storageKey: string, listener: (change: Change) => void): () => void;
  storageKeys(): string[];
  /** Takes over what a log holds, without telling anybody. */
  load(revision: number, objects: Iterable<readonly [storageKey: string, object: KubernetesObject]>): void;
  clear(): void;
};

type Collection = {
  items: Map<string, KubernetesObject>;
  namespaces: Map<string, Map<string, KubernetesObject>>;
  history: Change[];
  compactedRevision: number;
  listeners: Set<(change: Change) => void>;
};

/** Multi-version storage in memory: one revision counter for all, a history per resource for watches and consistent lists. */
export function createStore({ historyMax = 4_096 }: { historyMax?: number } = {}): Store {
  const collections = new Map<string, Collection>();
  const everything = new Set<(change: Change) => void>();
  let revision = 1;
  let floor = 1;

  function collectionOf(storageKey: string): Collection {
    let collection = collections.get(storageKey);
    if (!collection) {
      collection = {
        items: new Map(),
        namespaces: new Map(),
        history: [],
        compactedRevision: floor,
        listeners: new Set(),
      };
      collections.set(storageKey, collection);
    }
    return collection;
  }

  function record(collection: Collection, change: Change) {
    collection.history.push(change);
    // Twice the maximum before it is cut, so that cutting costs nothing per write.
    if (collection.history.length >= historyMax * 2) {
      const gone = collection.history.splice(0, historyMax);
      collection.compactedRevision = gone[gone.length - 1]?.revision ?? collection.compactedRevision;
    }
    for (const listener of everything) listener(change);
    for (const listener of collection.listeners) listener(change);
  }

  function insert(collection: Collection, object: KubernetesObject) {
    const { namespace, name } = object.metadata;
    if (namespace === undefined) return collection.items.set(name, object);
    let inside = collection.namespaces.get(namespace);
    if (!inside) collection.namespaces.set(namespace, (inside = new Map<string, KubernetesObject>()));
    inside.set(name, object);
    return inside;
  }

  function lookup(collection: Collection | undefined, namespace: string | undefined, name: string) {
    return namespace === undefined ? collection?.items.get(name) : collection?.namespaces.get(namespace)?.get(name);
  }

  return {
    revision: () => revision,
    get: (storageKey, namespace, name) => lookup(collections.get(storageKey), namespace, name),
    all(storageKey, namespace) {
      const collection = collections.get(storageKey);
      if (!collection) return [];
      if (namespace !== undefined) return collection.namespaces.get(namespace)?.values() ?? [];
      return collection.namespaces.size === 0 ? collection.items.values() : everyItem(collection);
    },
    allAt(storageKey, at) {
      const collection = collectionOf(storageKey);
      if (at < collection.compactedRevision) return null;
      const found = new Map<string, KubernetesObject>();
      for (const object of this.all(storageKey)) found.set(keyOf(object), object);
      for (let i = collection.history.length - 1; i >= 0; i -= 1) {
        const change = collection.history[i];
        if (!change || change.revision <= at) break;
        if (change.old) found.set(keyOf(change.object), change.old);
        else found.delete(keyOf(change.object));
      }
      return found;
    },
    count(storageKey) {
      const collection = collections.get(storageKey);
      let total = collection?.items.size ?? 0;
      for (const inside of collection?.namespaces.values() ?? []) total += inside.size;
      return total;
    },
    put(storageKey, object) {
      const collection = collectionOf(storageKey);
      const { namespace, name } = object.metadata;
      const old = lookup(collection, namespace, name);
      revision += 1;
      const stored = deepFreeze(withVersion(object, revision));
      insert(collection, stored);
      record(collection, { type: old ? "MODIFIED" : "ADDED", revision, storageKey, object: stored, old });
      return stored;
    },
    remove(storageKey, object) {
      const collection = collectionOf(storageKey);
      const { namespace, name } = object.metadata;
      const old = lookup(collection, namespace, name);
      revision += 1;
      const last = deepFreeze(withVersion(object, revision));
      if (namespace === undefined) collection.items.delete(name);
      else {
        const inside = collection.namespaces.get(namespace);
        inside?.delete(name);
        if (inside?.size === 0) collection.namespaces.delete(namespace);
      }
      record(collection, { type: "DELETED", revision, storageKey, object: last, old });
      return last;
    },
    changesSince(storageKey, since) {
      const { history, compactedRevision } = collectionOf(storageKey);
      if (since < compactedRevision) return null;
      return history.slice(firstAfter(history, since));
    },
    compactedRevision: (storageKey) => collectionOf(storageKey).compactedRevision,
    compact() {
      floor = revision;
      for (const collection of collections.values()) {
        collection.history = [];
        collection.compactedRevision = revision;
      }
    },
    subscribe(storageKey, listener) {
      const listeners = storageKey === "*" ? everything : collectionOf(storageKey).listeners;
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    storageKeys: () => [...collections.keys()],
    load(loadedRevision, objects) {
      revision = loadedRevision;
      floor = loadedRevision;
      for (const collection of collections.values()) collection.compactedRevision = loadedRevision;
      for (const [storageKey, object] of objects) insert(collectionOf(storageKey), deepFreeze(object));
    },
    clear() {
      for (const collection of collections.values()) {
        collection.items.clear();
        collection.namespaces.clear();
      }
      revision += 1;
      this.compact();
    },
  };
}

function* everyItem({ items, namespaces }: Collection): Generator<KubernetesObject> {
  yield* items.values();
  for (const inside of namespaces.values()) yield* inside.values();
}

/** The order in which lists return objects: namespace, then name. */
export function keyOf({ metadata }: KubernetesObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

function withVersion(object: KubernetesObject, revision: number): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function firstAfter(history: readonly Change[], revision: number): number {
  let low = 0;
  let high = history.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((history[middle]?.revision ?? Infinity) <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Subtrees that are frozen already came from an older version of the object and are left alone. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) if (typeof inner === "object") deepFreeze(inner);
  return value;
}
