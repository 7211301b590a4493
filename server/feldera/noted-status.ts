import type { PipelineStatus } from "@/machines/feldera/pipeline.schema";

/** The next status with what follows from the change itself: the times, and the version that clients look at. */
export function noted(old: PipelineStatus, next: PipelineStatus, now: string): PipelineStatus {
  return withSince(old, { ...next, refresh_version: refreshed(old, next) }, now);
}

/** The resources status, and where that is Provisioned what the process says; the desired one likewise. */
export function combinedOf(status: PipelineStatus): Partial<PipelineStatus> {
  const { deployment_resources_status: resources, deployment_runtime_status: runtime } = status;
  const heading = status.deployment_runtime_desired_status ?? status.deployment_initial ?? "Unavailable";
  return {
    deployment_status: resources === "Provisioned" ? (runtime ?? "Unavailable") : resources,
    deployment_desired_status: status.deployment_resources_desired_status === "Stopped" ? "Stopped" : heading,
  };
}

/** What a client that polls the light view would want to read the rest again for. */
const visible = [
  "version",
  "program_version",
  "program_status",
  "program_error",
  "program_info",
  "storage_status",
  "deployment_error",
  "deployment_resources_status",
  "deployment_resources_desired_status",
  "deployment_runtime_status",
  "deployment_runtime_desired_status",
] as const satisfies readonly (keyof PipelineStatus)[];

function refreshed(old: PipelineStatus, next: PipelineStatus): number {
  const changed = visible.some((field) => JSON.stringify(old[field]) !== JSON.stringify(next[field]));
  return old.refresh_version + (changed ? 1 : 0);
}

const dated = [
  "program_status",
  "storage_status",
  "deployment_status",
  "deployment_desired_status",
  "deployment_resources_status",
  "deployment_resources_desired_status",
  "deployment_runtime_status",
  "deployment_runtime_desired_status",
] as const satisfies readonly (keyof PipelineStatus)[];

/** A `_since` moves only when its value really changes, and goes with it. */
function withSince(old: PipelineStatus, next: PipelineStatus, now: string): PipelineStatus {
  const since = dated.map((field) => {
    const key = `${field}_since` as const;
    if (next[field] === undefined || next[field] === null) return [key, undefined];
    return [key, old[field] === next[field] && old[key] ? old[key] : now];
  });
  return { ...next, ...(Object.fromEntries(since) as Partial<PipelineStatus>) };
}
