import type { PassOutcome } from "@/server/reconcile/pass";

/**
 * What was written once is not written again while nothing new is known: same facts with the same evidence, same states,
 * same spec. Says of each pass that did so what it wrote. A second write of another kind is news of its own: the time
 * that a deadline was waited for, or the answer of a process.
 */
export function repeatedWrites(passes: readonly PassOutcome[]): string[] {
  const before = new Map<string, { known: string; written: Set<string> }>();
  return passes.flatMap((outcome) => {
    const id = `${outcome.kind} ${outcome.key.namespace}/${outcome.key.name}`;
    const known = knowledgeOf(outcome);
    const last = before.get(id);
    const written = last && last.known === known ? last.written : new Set<string>();
    if (known === null) before.delete(id);
    else before.set(id, { known, written });
    return outcome.writes
      .filter((write) => write.outcome === "done")
      .flatMap(({ sentence }) => {
        if (written.has(sentence)) return [`${id} knew nothing new and wrote all the same: ${sentence}`];
        written.add(sentence);
        return [];
      });
  });
}

/** Null when the pass failed or its resource is gone: what comes next is another try, or another resource. */
function knowledgeOf({ object, known, plan, error }: PassOutcome): string | null {
  if (!object || !plan || error !== undefined) return null;
  const { uid, generation, annotations, deletionTimestamp } = object.metadata;
  const from = Object.entries(plan.steps).map(([lifecycle, step]) => [lifecycle, step.from]);
  return JSON.stringify({ uid, generation, annotations, deletionTimestamp, known, from });
}
