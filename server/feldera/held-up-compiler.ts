import type { Pipeline, PipelineStatus } from "@/machines/feldera/pipeline.schema";
import type { KubernetesObject } from "@/server/kubernetes/object";
import { latestWarning } from "@/server/reconcile/warning-events";
import type { World } from "@/server/reconcile/world";

/** A compiler that is started is given so long to run. */
const COMPILER_START_MS = 30_000;

export function isCompiling({ program_status }: Pick<PipelineStatus, "program_status">): boolean {
  return program_status === "CompilingSql" || program_status === "CompilingRust";
}

/** Why the compiler's Job has come to nothing so far; null while there is hope. */
export async function heldUpCompiler(
  { status }: Pipeline,
  { job, pods }: { job: KubernetesObject; pods: readonly KubernetesObject[] },
  world: World,
): Promise<string | null> {
  const since = Date.parse(status.program_status_since ?? "");
  if (pods.some(hasRun) || !(world.now - since >= COMPILER_START_MS)) return null;
  const warnings = await Promise.all([...pods, job].map((object) => latestWarning(world, object)));
  return warnings.find((warning) => warning !== null)?.sentence ?? `Job ${job.metadata.name}: its pod does not run`;
}

function hasRun({ status }: KubernetesObject): boolean {
  return status?.phase !== undefined && status.phase !== "Pending";
}
