import { type ObjectRef } from "@/machines/facts";
import { type KubernetesObject } from "@/server/kubernetes/object";

/** One thing to bring about. Every effect is idempotent: carried out twice, it leaves the cluster as after once. */
export type Effect =
  /**
   * Server-side apply with the field manager `orrery`: the object holds every field we own, and no other. With `uid`
   * only that very object is kept as it should be: one that has gone since it was seen is not made anew.
   */
  | { type: "ensure"; object: KubernetesObject; uid?: string }
  /**
   * Absent counts as done; with `target.uid` never a namesake that came later. `afterStatus`: only the status that is
   * written before it makes it safe.
   */
  | { type: "delete"; target: ObjectRef; propagation?: "Background" | "Foreground" | "Orphan"; afterStatus?: true }
  /** A merge patch of the resource itself, `spec` and `metadata.annotations` only: what a command does. */
  | { type: "patchSpec"; patch: Record<string, unknown> }
  | { type: "addFinalizer"; finalizer: string }
  /** Carried out last, and only when every other effect of the plan succeeded. */
  | { type: "removeFinalizer"; finalizer: string }
  | { type: "emit"; severity: "Normal" | "Warning"; reason: string; message: string }
  /** A call to a managed process, such as a pipeline's pause. Any answer but 2xx is a transient failure. */
  | { type: "request"; method: string; url: string; body?: unknown; timeoutMs: number };

/** The effects of a plan in the two turns that its status stands between, each in the plan's order. */
export function turnsOf({ effects }: Pick<Plan, "effects">): { beforeStatus: Effect[]; afterStatus: Effect[] } {
  const isRemoval = ({ type }: Effect) => type === "removeFinalizer";
  const isLateDelete = (effect: Effect) => effect.type === "delete" && effect.afterStatus === true;
  return {
    beforeStatus: effects.filter((effect) => !isRemoval(effect) && !isLateDelete(effect)),
    afterStatus: [...effects.filter(isLateDelete), ...effects.filter(isRemoval)],
  };
}

/** What one lifecycle did in a pass; `from` equals `to` when it stayed. */
export type Step = {
  from: string;
  to: string;
  event: string;
  actions: string[];
  /** Facts that another lifecycle's step in the same pass changed under it: it was taken on these. */
  facts?: Record<string, unknown>;
};

/** What a pass wants: the steps taken, the writes in their order, the whole new status, and when to look again. */
export type Plan = {
  steps: Record<string, Step>;
  effects: Effect[];
  /** The whole new status; null leaves it as it is. */
  status: Record<string, unknown> | null;
  requeueAfterMs: number | null;
  /** Effects and status are carried out all the same; then transient is tried again, permanent waits for a change. */
  failure?: { kind: "transient" | "permanent"; message: string };
};
