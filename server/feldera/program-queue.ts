import { pipelineSchema, type Pipeline } from "@/machines/feldera/pipeline.schema";
import type { KubernetesObject } from "@/server/kubernetes/object";
import { parseOnce } from "@/server/reconcile/parse-once";

/** Whether it is a program's turn at the compiler of its stage, and how many are before it. */
export type Queue = { turn: boolean; before: number };

export function isWaiting({ status }: Pipeline): boolean {
  return Object.hasOwn(waitingFor, status.program_status);
}

/** Oldest first, as many at once as there are compilers. */
export function queueOf(pipeline: Pipeline, all: readonly KubernetesObject[], compilersMax: number): Queue {
  const { program_status } = pipeline.status;
  const stage = waitingFor[program_status];
  if (!stage || isLeaving(pipeline)) return { turn: false, before: 0 };
  const others = readable(all).filter((one) => one.metadata.uid !== pipeline.metadata.uid && !isLeaving(one));
  // Where a compiler cannot be made, or does not start, none is taken.
  const busy = others.filter(({ status }) => status.program_status === stage && !status.held_up).length;
  const older = others.filter(
    (other) => other.status.program_status === program_status && isStopped(other) && isOlder(other, pipeline),
  ).length;
  return { turn: busy + older < compilersMax, before: busy + older };
}

/** The pipelines that a free compiler is for next: one per stage, so that a long queue is not woken as a whole. */
export function nextInQueue(all: readonly KubernetesObject[]): { namespace: string; name: string }[] {
  const places = readable(all).filter((one) => isStopped(one) && !isLeaving(one));
  return Object.keys(waitingFor).flatMap((status) => {
    const waiting = places.filter((one) => one.status.program_status === status);
    const oldest = waiting.reduce<Pipeline | null>((first, one) => (first && !isOlder(one, first) ? first : one), null);
    return oldest ? [{ namespace: oldest.metadata.namespace, name: oldest.metadata.name }] : [];
  });
}

/** A pipeline that does not fit its schema is never taken up, so nobody waits for it. */
function readable(all: readonly KubernetesObject[]): Pipeline[] {
  return all.flatMap((one) => parseOnce(pipelineSchema, one).data ?? []);
}

const waitingFor: Partial<Record<string, string>> = { Pending: "CompilingSql", SqlCompiled: "CompilingRust" };

function isStopped({ status }: Pipeline) {
  return status.deployment_resources_status === "Stopped";
}

function isLeaving({ metadata }: Pipeline) {
  return metadata.deletionTimestamp !== undefined;
}

function isOlder(one: Pipeline, other: Pipeline): boolean {
  return placeOf(one) < placeOf(other);
}

function placeOf({ status, metadata }: Pipeline) {
  return `${status.program_status_since ?? metadata.creationTimestamp} ${metadata.namespace}/${metadata.name}`;
}
