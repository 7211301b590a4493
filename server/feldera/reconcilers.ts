import type { FelderaOptions } from "./feldera-options";
import { createPipelineReconciler } from "./pipeline.reconciler";

export function createFelderaReconcilers(options: FelderaOptions) {
  return { "feldera.pipeline": createPipelineReconciler(options) };
}
