import type { Condition } from "@/machines/conditions";
import type { Pipeline, PipelineStatus } from "@/machines/feldera/pipeline.schema";
import { boundChanges, listed } from "./edit-rules";
import { changedFields } from "./program-hash";

/**
 * What was edited and cannot be taken in yet, by its fields. The REST API and the admission webhook refuse such an edit;
 * where there is no webhook it waits, and neither the process nor the stored data meets it.
 */
export function editsCondition(
  spec: Pipeline["spec"],
  status: PipelineStatus,
): Omit<Condition, "lastTransitionTime" | "observedGeneration"> {
  const forStop = status.deployment_resources_status === "Stopped" ? [] : changedFields(status.handled.core, spec);
  const forClear = status.storage_config ? boundChanges(status.storage_config, spec.runtime_config) : [];
  const waits = [
    ...(forStop.length > 0 ? [`${listed(forStop)}: taken in once the pipeline is stopped`] : []),
    ...(forClear.length > 0 ? [`${listed(forClear)}: taken in once the storage is cleared`] : []),
  ];
  const reason = forClear.length > 0 ? "WaitForClear" : "WaitForStop";
  return waits.length > 0
    ? { type: "EditsApplied", status: "False", reason, message: waits.join("; ") }
    : { type: "EditsApplied", status: "True", reason: "Applied", message: "no edit waits" };
}
