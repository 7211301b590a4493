import { createPassFold } from "@/server/history/fold-passes";
import type { PassOutcome } from "@/server/reconcile/pass";
import type { AnyReconciler } from "@/server/reconcile/reconciler";

/**
 * Whatever a test does with a worker: the history of its passes, folded through the machines, gives the states that
 * were stored. Given every pass as it ends, over as many lives as the worker has.
 */
export function createReplayCheck(reconcilers: Record<string, AnyReconciler>) {
  const kinds = Object.fromEntries(Object.entries(reconcilers).map(([id, { kind }]) => [id, kind]));
  const fold = createPassFold(kinds);
  const divergences: string[] = [];
  let newest = 0;
  return {
    onPass: (outcome: PassOutcome) => {
      // The database is fenced: what a lease that has passed on still tells is not stored.
      if (outcome.token < newest) return;
      newest = outcome.token;
      divergences.push(...fold(outcome));
    },
    divergences: (): readonly string[] => divergences,
    mustReplay: () => {
      if (divergences.length > 0) throw new Error(`History does not replay: ${divergences.join("; ")}`);
    },
  };
}
