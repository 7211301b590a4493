import { type KubernetesClient } from "@/server/kubernetes/client";
import { type Clock } from "@/server/kubernetes/clock";
import { type Api, type KubernetesObject, type ObjectKey } from "@/server/kubernetes/object";
import { createReflector, type Reflector } from "@/server/kubernetes/reflector";
import { createStore, type Store } from "@/server/kubernetes/store";
import { matchesSelector } from "./label-selector";

export type Want = { api: Api; labelSelector?: string };
export type Cache = Want & { store: Store; reflector: Reflector };

/** One cache for each resource and selector that anybody wants, shared by all who want it. */
export type Caches = {
  all: readonly Cache[];
  of(want: Want): Cache;
  start(): void;
  /** Resolves when every first list is in. */
  synced(): Promise<void>;
  stop(): Promise<void>;
};

export type CachesOptions = {
  client: KubernetesClient;
  clock: Clock;
  wants: readonly Want[];
  /** Only this namespace; all of them unless told. */
  namespace?: string;
  random?: () => number;
  onError: (error: unknown, cache: Want) => void;
  createStore?: typeof createStore;
  createReflector?: typeof createReflector;
};

export function createCaches(options: CachesOptions): Caches {
  const byName = new Map<string, Cache>();
  for (const want of options.wants) {
    if (byName.has(nameOf(want))) continue;
    byName.set(nameOf(want), createCache(options, want));
  }
  const all = [...byName.values()];

  return {
    all,
    of: (want) => {
      const cache = byName.get(nameOf(want));
      if (!cache) throw new Error(`nobody declared that ${nameOf(want)} is to be cached`);
      return cache;
    },
    start: () => {
      for (const { reflector } of all) reflector.start();
    },
    synced: async () => {
      await Promise.all(all.map(({ reflector }) => reflector.synced()));
    },
    stop: async () => {
      await Promise.all(all.map(({ reflector }) => reflector.stop()));
    },
  };
}

/** The cache in which the object is, or will be once the server has it; undefined when none of these would hold it. */
export function holding(caches: readonly Cache[], api: Api, object: KubernetesObject | ObjectKey): Cache | undefined {
  return caches.find((cache) => apiName(cache.api) === apiName(api) && isHeld(cache, object));
}

function createCache(options: CachesOptions, want: Want): Cache {
  const { client, clock, namespace, random } = options;
  const onError = (error: unknown) => options.onError(error, want);
  const store = (options.createStore ?? createStore)({ onError });
  const scope = {
    api: want.api,
    namespace: want.api.namespaced ? namespace : undefined,
    labelSelector: want.labelSelector,
  };
  const reflector = (options.createReflector ?? createReflector)({ client, clock, store, random, onError, ...scope });
  return { ...want, store, reflector };
}

function isHeld({ labelSelector, store }: Cache, object: KubernetesObject | ObjectKey): boolean {
  if (labelSelector === undefined) return true;
  if (!("metadata" in object)) return store.get(object) !== undefined;
  return matchesSelector(labelSelector, object.metadata.labels ?? {});
}

function nameOf({ api, labelSelector = "" }: Want): string {
  return labelSelector === "" ? apiName(api) : `${apiName(api)}?${labelSelector}`;
}

/** Without the version: the same objects are served under every one. */
function apiName({ plural, group }: Api): string {
  return group === "" ? plural : `${plural}.${group}`;
}
