import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Where } from "@/server/kubernetes/store";

/** Objects by namespace, owner and label. Each index is built when it is first asked for: most caches need one or none. */
export function createIndex(all: () => Iterable<KubernetesObject>) {
  const built = new Map<string, { valuesOf: ValuesOf; groups: Map<string, Set<KubernetesObject>> }>();

  const groupsBy = (name: string, valuesOf: ValuesOf) => {
    let index = built.get(name);
    if (!index) {
      index = { valuesOf, groups: new Map() };
      built.set(name, index);
      for (const object of all()) enter(index.groups, valuesOf(object), object);
    }
    return index.groups;
  };

  return {
    add: (object: KubernetesObject) => {
      for (const { valuesOf, groups } of built.values()) enter(groups, valuesOf(object), object);
    },
    remove: (object: KubernetesObject) => {
      for (const { valuesOf, groups } of built.values()) {
        for (const value of valuesOf(object)) {
          const group = groups.get(value);
          group?.delete(object);
          if (group?.size === 0) groups.delete(value);
        }
      }
    },
    /** The smallest group that holds every object which `where` can match; null: no index applies. */
    narrowest: ({ namespace, labels, ownerUid }: Where): ReadonlySet<KubernetesObject> | null => {
      const groups: (ReadonlySet<KubernetesObject> | undefined)[] = Object.entries(labels ?? {}).map(([label, value]) =>
        groupsBy(`label ${label}`, labelOf(label)).get(value),
      );
      if (ownerUid !== undefined) groups.push(groupsBy("owner", ownersOf).get(ownerUid));
      if (namespace !== undefined) groups.push(groupsBy("namespace", namespaceOf).get(namespace));
      if (groups.length === 0) return null;
      return groups.map((group) => group ?? NONE).reduce((least, group) => (group.size < least.size ? group : least));
    },
  };
}

export type Index = ReturnType<typeof createIndex>;

type ValuesOf = (object: KubernetesObject) => readonly string[];

const NONE: ReadonlySet<KubernetesObject> = new Set();

const namespaceOf: ValuesOf = ({ metadata }) => (metadata.namespace === undefined ? [] : [metadata.namespace]);
const ownersOf: ValuesOf = ({ metadata }) => metadata.ownerReferences?.map((owner) => owner.uid) ?? [];

function labelOf(label: string): ValuesOf {
  return ({ metadata }) => {
    const value = metadata.labels?.[label];
    return value === undefined ? [] : [value];
  };
}

function enter(groups: Map<string, Set<KubernetesObject>>, values: readonly string[], object: KubernetesObject) {
  for (const value of values) {
    const group = groups.get(value);
    if (group) group.add(object);
    else groups.set(value, new Set([object]));
  }
}
