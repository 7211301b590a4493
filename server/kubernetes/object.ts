/** Any Kubernetes object, as JSON. Objects from a cache are shared: they are never changed in place. */
export type KubernetesObject = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
  [more: string]: unknown;
};

export type ObjectMeta = {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: unknown[];
};

export type OwnerReference = {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
};

/** Where a kind is served. */
export type Api = { group: string; version: string; plural: string; kind: string; namespaced: boolean };

export type ObjectKey = { namespace?: string; name: string };

export function apiVersionOf(api: Pick<Api, "group" | "version">): string {
  return api.group === "" ? api.version : `${api.group}/${api.version}`;
}

/** The path of an object, of a subresource, or (without a name) of the collection; without a namespace, over all of them. */
export function pathOf(api: Api, at: { namespace?: string; name?: string; subresource?: string } = {}): string {
  const root = api.group === "" ? `/api/${api.version}` : `/apis/${api.group}/${api.version}`;
  const parts = [root];
  if (api.namespaced && at.namespace) parts.push("namespaces", encodeURIComponent(at.namespace));
  parts.push(api.plural);
  if (at.name) parts.push(encodeURIComponent(at.name));
  if (at.subresource) parts.push(at.subresource);
  return parts.join("/");
}

export function controllerOf(object: KubernetesObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller);
}

const RESOURCE_VERSION = /^[1-9][0-9]*$/;

/**
 * Order of two resourceVersions of one resource: negative, zero or positive; null when one of them is no number
 * (a server that promises no order), and then nobody may conclude anything.
 */
export function compareResourceVersions(a: string, b: string): number | null {
  if (a === b) return 0;
  if (!RESOURCE_VERSION.test(a) || !RESOURCE_VERSION.test(b)) return null;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}
