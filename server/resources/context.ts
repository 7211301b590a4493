import type { Kind } from "@/machines/kind";
import type { Database } from "@/server/db/database";
import type { Identity } from "@/server/identity/identity";
import type { Rights } from "@/server/identity/rights";
import type { KubernetesClient } from "@/server/kubernetes/client";
import type { Clock } from "@/server/kubernetes/clock";
import type { KubernetesObject } from "@/server/kubernetes/object";
import type { Hub } from "@/server/live/hub";
import type { AnyReconciler } from "@/server/reconcile/reconciler";
import type { World } from "@/server/reconcile/world";
import { Refused } from "./refusal";

/** What every question about resources is answered from. The client is Orrery's own: rights are checked first. */
export type Context = {
  database: Database;
  client: KubernetesClient;
  clock: Clock;
  /** What a reconciler may look at, asked of the API server. */
  world: (now: number) => World;
  rights: Rights;
  /** Records a Kubernetes event on an object: best effort, deduplicated. */
  record: (object: KubernetesObject, event: RecordedEvent) => void;
  hub: Hub;
  kinds: Record<string, Kind>;
  reconcilers: Record<string, AnyReconciler>;
};

export type RecordedEvent = { severity: "Normal" | "Warning"; reason: string; message: string };

/** A question and who asks it. */
export type Asked = Context & {
  identity: Identity;
  /** Whether whoever opened a stream would still be let in; without it, nobody can tell any more. */
  stillKnown?: (() => Promise<boolean>) | undefined;
};

export function kindOf({ kinds }: Pick<Context, "kinds">, id: string): Kind {
  const kind = Object.hasOwn(kinds, id) ? kinds[id] : undefined;
  if (!kind) throw new Refused("invalid", `There is no kind "${id}"; there are ${Object.keys(kinds).join(", ")}.`);
  return kind;
}

export function reconcilerOf({ reconcilers }: Pick<Context, "reconcilers">, id: string): AnyReconciler {
  const reconciler = Object.hasOwn(reconcilers, id) ? reconcilers[id] : undefined;
  if (!reconciler) throw new Refused("invalid", `Nothing here looks after "${id}".`);
  return reconciler;
}
