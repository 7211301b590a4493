import { z } from "zod";
import type { Pipeline } from "@/machines/feldera/pipeline.schema";
import type { KubernetesObject } from "@/server/kubernetes/object";

/** Whether it is a program's turn at the compiler of its stage, and how many are before it. */
export type Queue = { turn: boolean; before: number };

/** As much of a pipeline as its place in the queue depends on. */
const placeSchema = z.object({
  metadata: z.object({
    uid: z.string(),
    name: z.string(),
    namespace: z.string(),
    creationTimestamp: z.string().default(""),
  }),
  status: z
    .object({
      program_status: z.string().default("Pending"),
      program_status_since: z.string().optional(),
      deployment_resources_status: z.string().default("Stopped"),
    })
    .prefault({}),
});
type Place = z.infer<typeof placeSchema>;

export function isWaiting({ status }: Pipeline): boolean {
  return Object.hasOwn(waitingFor, status.program_status);
}

/** Oldest first, as many at once as there are compilers. */
export function queueOf(pipeline: Pipeline, all: readonly KubernetesObject[], compilersMax: number): Queue {
  const { program_status } = pipeline.status;
  const stage = waitingFor[program_status];
  if (!stage) return { turn: false, before: 0 };
  const others = all.map((one) => placeSchema.parse(one)).filter((one) => one.metadata.uid !== pipeline.metadata.uid);
  const busy = others.filter((other) => other.status.program_status === stage).length;
  const older = others.filter(
    (other) => other.status.program_status === program_status && isStopped(other) && isOlder(other, pipeline),
  ).length;
  return { turn: busy + older < compilersMax, before: busy + older };
}

/** The pipelines that a free compiler is for next: one per stage, so that a long queue is not woken as a whole. */
export function nextInQueue(all: readonly KubernetesObject[]): { namespace: string; name: string }[] {
  const places = all.map((one) => placeSchema.parse(one)).filter(isStopped);
  return Object.keys(waitingFor).flatMap((status) => {
    const waiting = places.filter((one) => one.status.program_status === status);
    const oldest = waiting.reduce<Place | null>((first, one) => (first && !isOlder(one, first) ? first : one), null);
    return oldest ? [{ namespace: oldest.metadata.namespace, name: oldest.metadata.name }] : [];
  });
}

const waitingFor: Partial<Record<string, string>> = { Pending: "CompilingSql", SqlCompiled: "CompilingRust" };

function isStopped({ status }: Place) {
  return status.deployment_resources_status === "Stopped";
}

function isOlder(one: Place, other: Place): boolean {
  return placeOf(one) < placeOf(other);
}

function placeOf({ status, metadata }: Place) {
  return `${status.program_status_since ?? metadata.creationTimestamp} ${metadata.namespace}/${metadata.name}`;
}
