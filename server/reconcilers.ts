import type { KindId } from "@/machines/families";
import type { FelderaOptions } from "@/server/feldera/feldera-options";
import { createFelderaReconcilers } from "@/server/feldera/reconcilers";
import { createFireboltReconcilers, type FireboltOptions } from "@/server/firebolt/reconcilers";
import type { AnyReconciler } from "@/server/reconcile/reconciler";

export type FamilyOptions = { firebolt: FireboltOptions; feldera: FelderaOptions };

/** How each kind of each family is reconciled. A family without its line here does not compile. */
export function createReconcilers(options: FamilyOptions): Record<KindId, AnyReconciler> {
  return { ...createFireboltReconcilers(options.firebolt), ...createFelderaReconcilers(options.feldera) };
}
