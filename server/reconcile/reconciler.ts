import { type Known } from "@/machines/facts";
import { type Kind } from "@/machines/kind";
import { type Event } from "@/machines/lifecycle";
import { type Api, type KubernetesObject } from "@/server/kubernetes/object";
import { type Change } from "@/server/kubernetes/store";
import { type Plan } from "./plan";
import { type World } from "./world";

/** Names one resource of the reconciler's kind; the namespace is "" for a cluster-scoped kind. */
export type Key = { namespace: string; name: string };

/** Objects of another kind that are cached for `read`, and the resources that each change of one wakes. */
export type Watch = {
  api: Api;
  labelSelector?: string;
  /**
   * Whom a change concerns. Asked about the object before and after it, so that a moved reference wakes both ends.
   * A change that it gives no key for goes unnoticed: only one that `read` sees nothing of may be left out.
   */
  keysOf: (object: KubernetesObject, world: World, change: Change) => Key[] | Promise<Key[]>;
};

/** What is made for a resource: every object of these kinds that is its own carries the labels. */
export type Made = { apis: readonly Api[]; labelsOf: (key: Key) => Record<string, string> };

/** How one kind is brought from what is seen to what is wanted. */
export type Reconciler<Resource, Seen> = {
  id: string;
  kind: Kind<Resource>;
  /** Besides the kind itself, which is always watched. */
  watches: readonly Watch[];
  /** Lets who asks the cluster itself, and no cache, ask once for each kind instead of once for each object. */
  makes?: Made;
  read(resource: Resource, world: World): Promise<Seen>;
  /** The facts of each lifecycle, with their evidence; a command's arguments may decide some of them. */
  known(seen: Seen, event?: Event): Record<string, Known>;
  /** Pure: the same arguments give the same plan. */
  compute(seen: Seen, event: Event, now: number): Plan;
  /** The whole status that tells of a pass which failed to read or to write; null or no such method leaves it as it is. */
  statusOfFailure?(resource: Resource, failure: Failure, now: number): Record<string, unknown> | null;
};

/** Why a pass failed, fit to be shown: the message never quotes the data of a Secret. */
export type Failure = { kind: "transient" | "permanent"; reason: string; message: string };

/** A reconciler whose types the runtime does not need to know: it only hands `read`'s result to `compute`. */
export type AnyReconciler = {
  id: string;
  kind: Kind;
  watches: readonly Watch[];
  makes?: Made;
  read(resource: unknown, world: World): Promise<unknown>;
  known(seen: unknown, event?: Event): Record<string, Known>;
  compute(seen: unknown, event: Event, now: number): Plan;
  statusOfFailure?(resource: unknown, failure: Failure, now: number): Record<string, unknown> | null;
};

export function defineReconciler<Resource, Seen>(reconciler: Reconciler<Resource, Seen>): Reconciler<Resource, Seen> {
  return reconciler;
}

/** For `keysOf`: the resources of this kind that own the object. */
export function ownedBy(kind: { api: Kind["api"] }): Watch["keysOf"] {
  const { group, kind: name, namespaced } = kind.api;
  return (object) =>
    (object.metadata.ownerReferences ?? [])
      .filter((owner) => owner.kind === name && groupOf(owner.apiVersion) === group)
      .map((owner) => ({ namespace: namespaced ? (object.metadata.namespace ?? "") : "", name: owner.name }));
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
