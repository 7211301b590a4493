import type { Kind } from "@/machines/kind";
import type { PassOutcome } from "@/server/reconcile/pass";
import { idOf } from "@/server/resources/ref";
import { transitionsOf, type Memory } from "./entry";
import { memoryOf } from "./memory";
import { createFold } from "./replay";

/** The history that the projection would store of each pass, folded through the machines: where they disagree. */
export function createPassFold(kinds: Record<string, Kind>): (outcome: PassOutcome) => string[] {
  const memory = new Map<string, Memory>();
  const divergenceOf = createFold(kinds);
  return (outcome) => {
    const kind = kinds[outcome.kind];
    if (!kind) return [];
    const id = idOf({ kind: outcome.kind, ...outcome.key });
    const before = memory.get(id);
    const after = memoryOf(outcome, kind, before);
    if (after) memory.set(id, { ...after, generation: "" });
    else memory.delete(id);
    return transitionsOf(outcome, kind, before).flatMap((transition) => {
      const sentence = divergenceOf(transition);
      return sentence ? [`${id}, ${transition.lifecycle}: ${sentence}`] : [];
    });
  };
}
