export type OwnerReference = {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
};

type Meta = {
  name: string;
  generateName?: string;
  namespace?: string;
  uid: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
};

/** An object as the store keeps it: it has its name and its uid. */
export type Kept = { apiVersion: string; kind: string; metadata: Meta };

/** An object on its way into the store. */
export type Draft<T extends Kept> = Omit<T, "metadata" | "status"> & {
  metadata: Partial<Meta>;
  status?: unknown;
};

export type LabelSelector = {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
};

export type Condition = {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  lastProbeTime?: string | null;
  observedGeneration?: number;
};

/** The controller among the owners, if there is one. */
export function controllerOf(object: Kept): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller);
}

export function controllerRefTo(owner: Kept): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** A copy without some of its fields. */
export function without<T extends object, K extends keyof T & string>(object: T, ...fields: readonly K[]): Omit<T, K> {
  const dropped: readonly string[] = fields;
  // What is left has every field of T but those.
  return Object.fromEntries(Object.entries(object).filter(([field]) => !dropped.includes(field))) as Omit<T, K>;
}

/** The time as Kubernetes writes it: whole seconds. */
export function timestampOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

export function microTimestampOf(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}

/** The key of an object inside a controller's queue. */
export function keyOf(object: Kept): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}

export function splitKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
