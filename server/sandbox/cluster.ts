import { type Clock } from "@/server/kubernetes/clock";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type AdmissionPlugin, type RequestContext } from "@/server/sandbox/admission-plugin";
import { createObject } from "@/server/sandbox/cluster/create-object";
import { deleteObject, type Deleted, type DeleteOptions } from "@/server/sandbox/cluster/delete-object";
import { updateObject } from "@/server/sandbox/cluster/update-object";
import { namespaceOf, type WriteDeps } from "@/server/sandbox/cluster/write";
import { cloneJson } from "@/server/sandbox/json";
import { matcherOf, matchesLabels, type LabelSelector } from "@/server/sandbox/selector/label-selector";
import { type Change, createStore, type Store } from "@/server/sandbox/storage/store";
import { storageKeyOf, type TypeRef, type TypeRegistry } from "@/server/sandbox/type-registry";

/** The cluster without HTTP: what controllers, the kubelet and admission work with. Objects that it hands out are frozen. */
export type Cluster = {
  clock: Clock;
  types: TypeRegistry;
  store: Store;
  get(type: TypeRef, namespace: string | undefined, name: string): KubernetesObject | undefined;
  list(type: TypeRef, where?: Where): KubernetesObject[];
  create(type: TypeRef, object: KubernetesObject, ctx: RequestContext): Promise<KubernetesObject>;
  /** With the object's resourceVersion, refused when it is stale; without one, over whatever is there. */
  update(
    type: TypeRef,
    object: KubernetesObject,
    ctx: RequestContext,
    options?: { subresource?: string },
  ): Promise<KubernetesObject>;
  /** Reads, changes and writes, again when somebody else wrote in between. Return the object itself for no write. */
  change(
    type: TypeRef,
    at: { namespace?: string | undefined; name: string },
    change: (old: KubernetesObject) => KubernetesObject,
    ctx: RequestContext,
    options?: { subresource?: string },
  ): Promise<KubernetesObject>;
  delete(
    type: TypeRef,
    namespace: string | undefined,
    name: string,
    options: DeleteOptions,
    ctx: RequestContext,
  ): Promise<Deleted>;
  /** Told of each write before the writer is. A listener must not throw, and should only note what to look at. */
  watch(type: TypeRef | "*", listener: (change: Change) => void): () => void;
  /** Adds a link to the end of the admission chain. */
  use(plugin: AdmissionPlugin): void;
  writes: WriteDeps;
};

export type Where = {
  namespace?: string;
  labels?: Readonly<Record<string, string>>;
  selector?: LabelSelector;
  ownerUid?: string;
};

export function createCluster({
  clock,
  types,
  store = createStore(),
}: {
  clock: Clock;
  types: TypeRegistry;
  store?: Store;
}): Cluster {
  const plugins: AdmissionPlugin[] = [];
  const writes: WriteDeps = { store, types, clock, plugins };

  return {
    clock,
    types,
    store,
    writes,
    get: (type, namespace, name) => store.get(storedUnder(type), namespace, name),
    list: (type, where = {}) => listWhere(store.all(storedUnder(type), where.namespace), where),
    create(ref, object, ctx) {
      const type = types.of(ref);
      const namespace = namespaceOf(type, object.metadata.namespace);
      return createObject(writes, type, cloneJson(object), ctx, { namespace });
    },
    update(ref, object, ctx, options) {
      const type = types.of(ref);
      const at = { namespace: namespaceOf(type, object.metadata.namespace), name: object.metadata.name };
      return updateObject(writes, type, at, () => object, ctx, options);
    },
    change(ref, { namespace, name }, change, ctx, options) {
      return updateObject(writes, types.of(ref), { namespace, name }, change, ctx, options);
    },
    delete: (ref, namespace, name, options, ctx) =>
      deleteObject(writes, types.of(ref), { namespace, name }, options, ctx),
    watch: (type, listener) => store.subscribe(type === "*" ? "*" : storedUnder(type), listener),
    use: (plugin) => void plugins.push(plugin),
  };
}

function storedUnder(type: TypeRef): string {
  // Both event groups are doors to one room.
  return type.group === "events.k8s.io" ? "events" : storageKeyOf(type);
}

function listWhere(objects: Iterable<KubernetesObject>, { labels, selector, ownerUid }: Where): KubernetesObject[] {
  const matches = selector ? matcherOf(selector) : null;
  const found: KubernetesObject[] = [];
  for (const object of objects) {
    if (labels && !matchesLabels(labels, object.metadata.labels)) continue;
    if (matches && !matches(object.metadata.labels)) continue;
    if (ownerUid && !object.metadata.ownerReferences?.some((owner) => owner.uid === ownerUid)) continue;
    found.push(object);
  }
  return found;
}
