import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Cluster } from "@/server/sandbox/cluster";
import { type TypeRef, type UserInfo } from "@/server/sandbox/type-registry";
import { type Draft, type Kept, keyOf } from "@/server/sandbox/objects/meta";

type Where = { namespace?: string };
export type Change<T> = { type: "ADDED" | "MODIFIED" | "DELETED"; object: T; old?: T };
type RemoveOptions = { propagation?: "Background" | "Foreground" | "Orphan"; graceSeconds?: number };

/** The objects of one kind as a controller sees them: typed, and written in the name of that controller. */
export type Shelf<T extends Kept> = {
  get(namespace: string, name: string): T | undefined;
  list(where?: Where): readonly T[];
  /** What the object with this uid controls or owns, from an index. */
  ownedBy(uid: string): readonly T[];
  create(draft: Draft<T> & Record<string, unknown>): Promise<T>;
  update(object: T): Promise<T>;
  updateStatus(object: T, status: Record<string, unknown>): Promise<T>;
  /** From what is there to what should be; tried again when somebody else writes meanwhile. */
  change(namespace: string, name: string, change: (old: T) => T, subresource?: string): Promise<T>;
  /** Replaces top-level fields over whatever is there. */
  patch(namespace: string, name: string, patch: Record<string, unknown>, subresource?: string): Promise<T>;
  /** Only the very object: another one of the same name is left alone, and one that is gone is no error. */
  remove(object: Kept, options?: RemoveOptions): Promise<void>;
  watch(listener: (change: Change<T>) => void): () => void;
};

export type Shelves = { of<T extends Kept>(api: TypeRef & { namespaced: boolean }): Shelf<T> };

/** The cluster's objects, for a controller that writes as `user` (`system:serviceaccount:kube-system:…`). */
export function createShelves(cluster: Cluster, user: UserInfo): Shelves {
  const ctx = { user, fieldManager: "kube-controller-manager" };

  function of<T extends Kept>(api: TypeRef & { namespaced: boolean }): Shelf<T> {
    // The store checked the object against its kind's schema when it came in, so it has the kind's shape.
    const typed = (object: KubernetesObject) => object as unknown as T;
    const inside = (namespace: string) => (api.namespaced ? namespace : undefined);
    async function changeOne(namespace: string, name: string, change: (old: T) => T, subresource?: string): Promise<T> {
      const at = { namespace: inside(namespace), name };
      const changed = (old: KubernetesObject) => plain(change(typed(old)));
      return typed(await cluster.change(api, at, changed, ctx, subresource ? { subresource } : {}));
    }
    return {
      get: (namespace, name) => {
        const found = cluster.get(api, inside(namespace), name);
        return found && typed(found);
      },
      list: (where = {}) => cluster.list(api, where).map(typed),
      ownedBy: (uid) => ownersOf<T>(cluster, api).get(uid) ?? [],
      create: async (draft) => typed(await cluster.create(api, plain(draft), ctx)),
      update: async (object) => typed(await cluster.update(api, plain(object), ctx)),
      updateStatus: async (object, status) =>
        typed(await cluster.update(api, plain({ ...object, status }), ctx, { subresource: "status" })),
      change: changeOne,
      patch: (namespace, name, patch, subresource) =>
        changeOne(namespace, name, (old) => ({ ...old, ...patch }), subresource),
      remove: async (object, options = {}) => {
        const { namespace, name, uid } = object.metadata;
        try {
          await cluster.delete(api, inside(namespace ?? ""), name, { uid, ...options }, ctx);
        } catch (error) {
          if (!isGone(error)) throw error;
        }
      },
      watch: (listener) =>
        cluster.watch(api, (change) =>
          listener({
            type: change.type,
            object: typed(change.object),
            ...(change.old ? { old: typed(change.old) } : {}),
          }),
        ),
    };
  }
  return { of };
}

/** As JSON, which knows no undefined fields. */
function plain(object: unknown): KubernetesObject {
  return JSON.parse(JSON.stringify(object)) as KubernetesObject;
}

type OwnerIndex<T> = { get(uid: string): readonly T[] | undefined };
const ownerIndexes = new WeakMap<Cluster, Map<string, OwnerIndex<Kept>>>();

/** One index per kind and cluster, however many controllers ask: object by the uid of each of its owners. */
function ownersOf<T extends Kept>(cluster: Cluster, api: TypeRef): OwnerIndex<T> {
  const kinds = ownerIndexes.get(cluster) ?? new Map<string, OwnerIndex<Kept>>();
  ownerIndexes.set(cluster, kinds);
  const id = `${api.group}/${api.plural}`;
  const index = kinds.get(id) ?? createOwnerIndex(cluster, api);
  kinds.set(id, index);
  // Kept under the id of the kind, whose objects have the shape that the caller names.
  return index as OwnerIndex<T>;
}

function createOwnerIndex(cluster: Cluster, api: TypeRef): OwnerIndex<Kept> {
  const byOwner = new Map<string, Map<string, Kept>>();
  const note = (object: Kept) => {
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const owned = byOwner.get(uid) ?? new Map<string, Kept>();
      byOwner.set(uid, owned.set(keyOf(object), object));
    }
  };
  const forget = (object: Kept) => {
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const owned = byOwner.get(uid);
      owned?.delete(keyOf(object));
      if (owned?.size === 0) byOwner.delete(uid);
    }
  };
  const kept = (object: KubernetesObject) => object as unknown as Kept;
  cluster.list(api, {}).forEach((object) => note(kept(object)));
  cluster.watch(api, (change) => {
    if (change.old) forget(kept(change.old));
    forget(kept(change.object));
    if (change.type !== "DELETED") note(kept(change.object));
  });
  return { get: (uid) => [...(byOwner.get(uid)?.values() ?? [])] };
}

/** A 404, or a 409 because the name belongs to another object by now. */
function isGone(error: unknown): boolean {
  return (
    codeOf(error) === 404 ||
    (codeOf(error) === 409 && error instanceof Error && error.message.includes("UID in precondition"))
  );
}

export function codeOf(error: unknown): number | undefined {
  return typeof error === "object" && error !== null && "code" in error && typeof error.code === "number"
    ? error.code
    : undefined;
}
