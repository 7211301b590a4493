import { type EngineStatus } from "@/machines/firebolt/engine.schema";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Effect } from "@/server/reconcile/plan";
import { refOf } from "./engine.facts";
import { generationOf } from "./generation-names";

const sweepMax = 100;
const order = ["StatefulSet", "Service", "ConfigMap", "PersistentVolumeClaim"];

/**
 * Deletes of what generations nobody refers to have left behind. Nothing at or above the newest generation in the status
 * is ever touched: it may belong to a pass that this status does not know of yet.
 */
export function sweepEffects(
  owned: readonly KubernetesObject[],
  status: EngineStatus,
  selected: string | null,
): Effect[] {
  const { currentGeneration, activeGeneration, drainingGeneration } = status;
  const kept = new Set([
    currentGeneration,
    activeGeneration,
    drainingGeneration,
    selected === null ? -1 : Number(selected),
  ]);
  const floor = Math.max(currentGeneration, activeGeneration, drainingGeneration ?? -1);
  return inOrder(owned)
    .filter((object) => {
      const generation = generationOf(object);
      return generation !== null && generation < floor && !kept.has(generation) && !isTerminating(object);
    })
    .slice(0, sweepMax)
    .map(deleteEffect);
}

/**
 * Deletes of the newest generation, given up before it served. Each waits for the status that counts on: from then on it
 * is a generation that nobody refers to, and what a crash leaves of it is swept by the next pass.
 */
export function abandonEffects(
  owned: readonly KubernetesObject[],
  status: EngineStatus,
  selected: string | null,
): Effect[] {
  const unfinished = owned.filter((object) => generationOf(object) === status.currentGeneration);
  return sweepEffects(unfinished, { ...status, currentGeneration: nextGeneration(status) }, selected).map((effect) =>
    effect.type === "delete" ? { ...effect, afterStatus: true } : effect,
  );
}

/** The number of the next generation: never one that was used before. */
export function nextGeneration({ currentGeneration, activeGeneration }: EngineStatus): number {
  return Math.max(currentGeneration, activeGeneration) + 1;
}

/** Deletes of all that one generation has. */
export function dropEffects(owned: readonly KubernetesObject[], generation: number): Effect[] {
  return inOrder(owned)
    .filter((object) => generationOf(object) === generation && !isTerminating(object))
    .map(deleteEffect);
}

export function deleteEffect(object: KubernetesObject): Effect {
  const { apiVersion, kind, namespace, name, uid } = refOf(object);
  return { type: "delete", target: { apiVersion, kind, namespace, name, uid }, propagation: "Background" };
}

/** The StatefulSet first, or it would make new pods and claims while the rest goes. */
function inOrder(objects: readonly KubernetesObject[]): KubernetesObject[] {
  return [...objects].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

function isTerminating({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
