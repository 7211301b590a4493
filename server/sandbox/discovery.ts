import { apiVersionOf, type ResourceType, type TypeRegistry } from "@/server/sandbox/type-registry";

type GroupVersion = { groupVersion: string; version: string };
type ApiGroup = { name: string; versions: GroupVersion[]; preferredVersion: GroupVersion };

export function coreVersions() {
  const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress: "127.0.0.1" }];
  return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs };
}

/** Groups in the order of their first registration, their versions with the preferred one first. */
export function apiGroupList(types: TypeRegistry): { kind: string; apiVersion: string; groups: ApiGroup[] } {
  const versions = new Map<string, Map<string, number>>();
  for (const { group, version, priority } of types.all()) {
    if (group === "") continue;
    const known = versions.get(group) ?? new Map<string, number>();
    known.set(version, Math.max(known.get(version) ?? 0, priority));
    versions.set(group, known);
  }
  const groups = [...versions].flatMap(([name, known]) => {
    const sorted = [...known]
      .sort((a, b) => b[1] - a[1])
      .map(([version]) => ({ groupVersion: `${name}/${version}`, version }));
    const [preferredVersion] = sorted;
    return preferredVersion ? [{ name, versions: sorted, preferredVersion }] : [];
  });
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

/** Null for a group version that does not exist. */
export function apiResourceList(types: TypeRegistry, group: string, version: string) {
  const own = types.all().filter((type) => type.group === group && type.version === version);
  if (own.length === 0) return null;
  const resources = own.flatMap(resourcesOf);
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: apiVersionOf({ group, version }), resources };
}

function resourcesOf(type: ResourceType) {
  const main = {
    name: type.plural,
    singularName: type.singular,
    namespaced: type.namespaced,
    kind: type.kind,
    verbs: type.verbs,
    ...(type.shortNames.length > 0 ? { shortNames: type.shortNames } : {}),
    ...(type.categories.length > 0 ? { categories: type.categories } : {}),
  };
  const subresources = Object.entries(type.subresources).map(([name, { kind, group, version, verbs }]) => ({
    name: `${type.plural}/${name}`,
    singularName: "",
    namespaced: type.namespaced,
    ...(group === undefined ? {} : { group }),
    ...(version === undefined ? {} : { version }),
    kind,
    verbs,
  }));
  return [main, ...subresources];
}

/** All groups with all their resources in one document (apidiscovery.k8s.io/v2), for `/api` or for `/apis`. */
export function aggregatedDiscovery(types: TypeRegistry, version: string, which: "core" | "groups") {
  const names = which === "core" ? [""] : apiGroupList(types).groups.map(({ name }) => name);
  const groups = apiGroupList(types).groups;
  const items = names.map((name) => {
    const versions =
      name === ""
        ? ["v1"]
        : (groups.find((group) => group.name === name)?.versions.map((known) => known.version) ?? []);
    return {
      metadata: { ...(name === "" ? {} : { name }), creationTimestamp: null },
      versions: versions.map((known) => ({
        version: known,
        resources: types
          .all()
          .filter((type) => type.group === name && type.version === known)
          .map(aggregatedResource),
        freshness: "Current",
      })),
    };
  });
  return { kind: "APIGroupDiscoveryList", apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items };
}

function aggregatedResource(type: ResourceType) {
  return {
    resource: type.plural,
    responseKind: { group: type.group, version: type.version, kind: type.kind },
    scope: type.namespaced ? "Namespaced" : "Cluster",
    singularResource: type.singular,
    verbs: type.verbs,
    ...(type.shortNames.length > 0 ? { shortNames: type.shortNames } : {}),
    ...(type.categories.length > 0 ? { categories: type.categories } : {}),
    ...(Object.keys(type.subresources).length > 0
      ? {
          subresources: Object.entries(type.subresources).map(([name, { kind, group, version, verbs }]) => ({
            subresource: name,
            responseKind: { group: group ?? type.group, version: version ?? type.version, kind },
            verbs,
          })),
        }
      : {}),
  };
}
