import { isConflict, isNotFound } from "@/server/kubernetes/errors";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Work } from "./apply";
import { FIELD_MANAGER } from "./effects";
import { mergePatchOf, sameValue } from "./merge-patch";

/**
 * Writes the whole status, as one merge patch with the resourceVersion that was read. On a conflict the resource is
 * read again and, if nobody else wrote its status, the write is tried once more.
 */
export async function writeStatus(work: Work, status: Record<string, unknown>): Promise<"done" | "unchanged"> {
  const base = work.current;
  if (!base) return "unchanged";
  try {
    return await patchStatus(work, base, status);
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
    const live = await readAgain(work, base);
    if (!live) return gone(work);
    // It is there, but its status is not: a CustomResourceDefinition without the subresource.
    if (isNotFound(error)) throw error;
    // Another writer's status means that the plan was made from an outdated one: it must be computed afresh.
    if (!sameValue(live.status, work.before.status)) {
      work.onWrote(work.api, live);
      throw error;
    }
    return await patchStatus(work, live, status);
  }
}

async function patchStatus(work: Work, base: KubernetesObject, status: Record<string, unknown>) {
  const patch = mergePatchOf(base.status ?? {}, status);
  if (!patch) return "unchanged";
  const body = { metadata: { resourceVersion: base.metadata.resourceVersion }, status: patch };
  const options = { type: "merge", subresource: "status", fieldManager: FIELD_MANAGER } as const;
  work.current = await work.client.patch(work.api, base.metadata, body, options);
  work.onWrote(work.api, work.current);
  return "done";
}

async function readAgain(work: Work, base: KubernetesObject): Promise<KubernetesObject | null> {
  try {
    const live = await work.client.get(work.api, base.metadata);
    // A namesake that came later is not the one that this status is about.
    return live.metadata.uid === base.metadata.uid ? live : null;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

function gone(work: Work): "unchanged" {
  work.current = null;
  return "unchanged";
}
