import type { RuntimeFacts } from "@/machines/feldera/runtime.machine";
import type { PipelineSeen } from "./pipeline.read";

/** After provisioning, a process that does not answer yet is still coming up; later it is unavailable. */
const GRACE_MS = 20_000;

/** What the process says, as the runtime status that it means; Absent where its resources are not provisioned. */
export function reportedOf(seen: PipelineSeen, resources: string): RuntimeFacts["reported"] {
  if (resources !== "Provisioned") return "Absent";
  const { status } = seen.pipeline;
  // Provisioned by this very pass: nobody has asked the process yet.
  if (status.deployment_resources_status !== "Provisioned" || !seen.report) return "Initializing";
  if (seen.report.kind === "told") return seen.report.runtime;
  // One that failed ends with its resources, in this very pass.
  const means = seen.report.kind === "silent" ? seen.report.means : "unavailable";
  if (means !== "perhaps coming up") return means === "coming up" ? "Initializing" : "Unavailable";
  const first = status.deployment_runtime_status === "Initializing";
  const since = Date.parse(status.deployment_resources_status_since ?? "");
  return first && seen.now - since < GRACE_MS ? "Initializing" : "Unavailable";
}
