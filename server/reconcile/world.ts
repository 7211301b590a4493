import { type Api, type KubernetesObject } from "@/server/kubernetes/object";

/**
 * What a reconciler may look at. In the worker `get` and `list` answer from the caches, which the reconciler's
 * `watches` must name; in the web process they ask the API server. The objects are shared: never change one.
 */
export type World = {
  now: number;
  /** null means NotFound and nothing else; any other trouble is thrown. */
  get(api: Api, ref: { namespace?: string; name: string }): Promise<KubernetesObject | null>;
  list(api: Api, where?: Where): Promise<KubernetesObject[]>;
  live: LiveWorld;
};

/** Which cached objects: every condition given must hold. */
export type Where = { namespace?: string; labels?: Record<string, string>; ownerUid?: string };

/** Questions that go out on every call. For what no cache may answer: events, a pod's metrics, a last look before a delete. */
export type LiveWorld = {
  get(api: Api, ref: { namespace?: string; name: string }): Promise<KubernetesObject | null>;
  list(
    api: Api,
    where?: { namespace?: string; fieldSelector?: string; labelSelector?: string; timeoutMs?: number },
  ): Promise<KubernetesObject[]>;
  /** Follows no redirect, so that a managed process cannot point us elsewhere. */
  fetch(url: string, options: { timeoutMs: number }): Promise<Answer>;
  /** GET through the API server's pod proxy, for a worker outside of the pod network. */
  proxy(
    pod: { namespace: string; name: string },
    port: number | string,
    path: string,
    options: { timeoutMs: number },
  ): Promise<Answer>;
  /** The last line of a container's log; the beginning of one that is longer than so many bytes may be missing. */
  lastLine(pod: { namespace: string; name: string }, options: { container: string; bytesMax: number }): Promise<string>;
};

export type Answer = { status: number; body: string };
