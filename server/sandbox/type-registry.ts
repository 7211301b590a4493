import { type KubernetesObject } from "@/server/kubernetes/object";
import { type FieldError } from "@/server/sandbox/field-error";
import { type Schema } from "@/server/sandbox/schema/schema";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** A resource in one version of its group, as discovery lists it, and what the sandbox does with its objects. */
export type ResourceType = {
  group: string;
  version: string;
  kind: string;
  plural: string;
  singular: string;
  shortNames: readonly string[];
  categories: readonly string[];
  namespaced: boolean;
  verbs: readonly Verb[];
  /** Objects of all versions of one resource live under one key: `pods`, `deployments.apps`. */
  storageKey: string;
  /** Order among the versions of a group: the first one registered with the highest priority is preferred. */
  priority: number;
  subresources: Readonly<Record<string, Subresource>>;
  schema?: Schema;
  strategy: Strategy;
  /** To and from the version that is stored. Absent: only `apiVersion` differs. */
  conversion?: {
    toStored: (object: KubernetesObject) => KubernetesObject;
    fromStored: (object: KubernetesObject) => KubernetesObject;
  };
};

/** `status` and `scale` are served by the sandbox itself; the others by whoever registers them. */
export type Subresource = {
  kind: string;
  group?: string;
  version?: string;
  verbs: readonly Verb[];
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
};

/** What is particular to a kind. All of it works on an object that nobody else holds yet. */
export type Strategy = {
  /** Run on everything that comes in, through every door, before admission: pruning and defaults. */
  normalize?: (object: KubernetesObject) => void;
  /** Fields that a client may not set on create are dropped, defaults are filled in. */
  prepareCreate?: (object: KubernetesObject) => void;
  prepareUpdate?: (object: KubernetesObject, old: KubernetesObject) => void;
  validate?: (object: KubernetesObject, old: KubernetesObject | undefined) => FieldError[];
  /** Subresources through which one part of an object is changed, by rules of their own. */
  doors?: Readonly<Record<string, PartDoor>>;
  /** metadata.generation counts changes of everything but metadata and status. Built-in kinds without it have none. */
  generation?: boolean;
  columns?: readonly Column[];
  /** Beyond metadata.name and metadata.namespace. */
  selectableFields?: Readonly<Record<string, (object: KubernetesObject) => string>>;
  /** A PUT to a name that is free creates the object (leases, events, nodes … may). */
  createOnUpdate?: boolean;
  /** A PUT without a resourceVersion is refused. True of custom resources and most newer kinds. */
  versionRequired?: boolean;
  /** Nothing is stored: the answer is computed (reviews). */
  answer?: (
    object: KubernetesObject,
    namespace: string | undefined,
    user: UserInfo,
  ) => Promise<KubernetesObject> | KubernetesObject;
};

export type PartDoor = {
  /** What is stored, with the part that was asked for. */
  merge: (old: KubernetesObject, asked: KubernetesObject) => KubernetesObject;
  validate: (object: KubernetesObject, old: KubernetesObject) => FieldError[];
};

/** A printer column; `cell` returns what the Table holds. */
export type Column = {
  name: string;
  type: "string" | "integer" | "number" | "boolean" | "date";
  format?: string;
  description?: string;
  /** 0 is always shown, 1 only with -o wide. */
  priority?: number;
  cell: (object: KubernetesObject, now: number) => string | number | boolean | null;
};

export type UserInfo = {
  username: string;
  uid?: string;
  groups: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
};

/** Anything that names a resource of whatever version: a ResourceType, an Api, `{ group, plural }`. */
export type TypeRef = { group: string; plural: string };

export type TypeRegistry = {
  /** The preferred version. Throws for an unknown resource: in process, that is a bug of the caller. */
  of(ref: TypeRef): ResourceType;
  find(group: string, version: string, plural: string): ResourceType | undefined;
  byKind(apiVersion: string, kind: string): ResourceType | undefined;
  add(...types: readonly ResourceType[]): void;
  remove(type: { group: string; version: string; plural: string }): void;
  all(): ResourceType[];
  /** Called after each add and remove. */
  onChange(listener: () => void): () => void;
  /** Grows with each change: what discovery and OpenAPI are cached by. */
  revision(): number;
};

export function createTypeRegistry(): TypeRegistry {
  const byPath = new Map<string, ResourceType>();
  const byKind = new Map<string, ResourceType>();
  const preferred = new Map<string, ResourceType>();
  const listeners = new Set<() => void>();
  let revision = 0;

  function changed() {
    revision += 1;
    byKind.clear();
    preferred.clear();
    for (const type of byPath.values()) {
      byKind.set(`${apiVersionOf(type)} ${type.kind}`, type);
      const best = preferred.get(type.storageKey);
      if (!best || type.priority > best.priority) preferred.set(type.storageKey, type);
    }
    for (const listener of listeners) listener();
  }

  return {
    of(ref) {
      const type = preferred.get(storageKeyOf(ref));
      if (!type) throw new Error(`The sandbox has no resource ${storageKeyOf(ref)}`);
      return type;
    },
    find: (group, version, plural) => byPath.get(`${group}/${version}/${plural}`),
    byKind: (apiVersion, kind) => byKind.get(`${apiVersion} ${kind}`),
    add(...types) {
      for (const type of types) byPath.set(`${type.group}/${type.version}/${type.plural}`, type);
      changed();
    },
    remove({ group, version, plural }) {
      if (byPath.delete(`${group}/${version}/${plural}`)) changed();
    },
    all: () => [...byPath.values()],
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    revision: () => revision,
  };
}

export function storageKeyOf({ group, plural }: TypeRef): string {
  return group === "" ? plural : `${plural}.${group}`;
}

export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}
