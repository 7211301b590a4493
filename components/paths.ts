export type ResourceRef = { kind: string; namespace: string; name: string };

/** A namespace that is not there, in the path of a cluster-scoped resource. */
export const noNamespace = "-";

export function kindPath(kind: string): string {
  return `/${kind.replace(".", "/")}`;
}

export function resourcePath({ kind, namespace, name }: ResourceRef): string {
  return `${kindPath(kind)}/${namespace || noNamespace}/${name}`;
}

export function machinePath(kind: string, lifecycle: string): string {
  return `/machines/${kind}.${lifecycle}`;
}
