import { type KubernetesClient } from "@/server/kubernetes/client";
import { type Lease } from "@/server/kubernetes/lease";
import { type Api } from "@/server/kubernetes/object";
import { type AnyReconciler } from "@/server/reconcile/reconciler";
import { type ProxiedWrite } from "@/server/testing/fault-proxy";
import { type WorkerOptions } from "@/server/worker";

/** A story to be told clean once, and then once with each fault. */
export type Scenario = {
  name: string;
  /** A fresh one for every life of the worker, as a process would have it. */
  reconcilers: () => Readonly<Record<string, AnyReconciler>>;
  /** What the user does, one after the other; between two steps the worker comes to rest. */
  steps: readonly ((user: User) => Promise<void>)[];
  /** The kinds whose objects are compared at the end. */
  compared: readonly Api[];
  /** Once per cluster: definitions that must be there. */
  prepare?: (client: KubernetesClient) => Promise<void>;
  /** Looked at after every write, those of leases and events (number 0) included; a sentence is a violation. */
  invariants?: Readonly<Record<string, (write: ProxiedWrite) => string | null>>;
  /** Plans that run when not all are asked for. */
  sample?: number;
  /** Time given to the worker after each step. */
  settleMs?: number;
  /** A real lease, perhaps changed, instead of one that nobody contests. */
  lease?: (real: Lease) => Lease;
  /** Changed parts of the worker: how a seeded bug gets in. */
  worker?: Partial<WorkerOptions> & { wrapClient?: (client: KubernetesClient) => KubernetesClient };
};

/** Acts on the cluster directly, past the proxy. */
export type User = {
  client: KubernetesClient;
  namespace: string;
  /** Resolves when nothing is under way, with no time passing. */
  rest(): Promise<void>;
};
