import { type Log, silentLog } from "@/server/observability/log";
import { createEngineClassReconciler } from "./engine-class.reconciler";
import { createEngineReconciler } from "./engine.reconciler";
import { createInstanceReconciler } from "./instance.reconciler";
import { type ResourceBounds } from "./resource-bounds";

export type FireboltOptions = { bounds?: ResourceBounds; log?: Log };

export function createFireboltReconcilers({ bounds = {}, log = silentLog }: FireboltOptions = {}) {
  return {
    "firebolt.instance": createInstanceReconciler(),
    "firebolt.engine": createEngineReconciler({ bounds, log }),
    "firebolt.engineClass": createEngineClassReconciler(),
  };
}
