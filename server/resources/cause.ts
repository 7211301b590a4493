import { z } from "zod";
import type { KubernetesObject } from "@/server/kubernetes/object";
import { utc } from "./lifecycle-states";

/** Trouble that an object itself tells of. The lower the depth, the nearer to the true cause. */
export type Trouble = {
  depth: number;
  reason: string;
  sentence: string;
  object: KubernetesObject;
  since: string | null;
};

/** What is wrong with one object, by its own status. */
export function troublesOf(object: KubernetesObject, now: number): Trouble[] {
  const found = [...(byKind[object.kind]?.(object) ?? []), ...heldByFinalizers(object, now)];
  return found.map((trouble) => ({ ...trouble, object }));
}

type Found = Omit<Trouble, "object">;

const byKind: Record<string, (object: KubernetesObject) => Found[]> = {
  Pod: podTroubles,
  PersistentVolumeClaim: claimTroubles,
  Deployment: (object) => conditionTroubles(object, { ReplicaFailure: "True" }),
  ReplicaSet: (object) => conditionTroubles(object, { ReplicaFailure: "True" }),
  Job: (object) => conditionTroubles(object, { Failed: "True" }),
};

const terminatedSchema = z.object({
  exitCode: z.number().optional(),
  signal: z.number().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
});
const containerSchema = z.object({
  name: z.string(),
  restartCount: z.number().default(0),
  state: z
    .object({
      waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
      terminated: terminatedSchema.optional(),
    })
    .default({}),
  lastState: z.object({ terminated: terminatedSchema.optional() }).default({}),
});
const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(""),
  message: z.string().default(""),
  lastTransitionTime: z.string().nullish(),
});
const statusSchema = z.object({
  phase: z.string().default(""),
  reason: z.string().default(""),
  message: z.string().default(""),
  conditions: z.array(conditionSchema).default([]),
  initContainerStatuses: z.array(containerSchema).default([]),
  containerStatuses: z.array(containerSchema).default([]),
});
type Container = z.infer<typeof containerSchema>;

function statusOf(object: KubernetesObject) {
  return statusSchema.catch(statusSchema.parse({})).parse(object.status ?? {});
}

// A container that is being made or waits for an earlier one is no trouble.
const normalWaits = new Set(["", "ContainerCreating", "PodInitializing"]);

function podTroubles(pod: KubernetesObject): Found[] {
  const { phase, reason, message, conditions, initContainerStatuses, containerStatuses } = statusOf(pod);
  const name = `Pod ${pod.metadata.name}`;
  const containers = [...initContainerStatuses, ...containerStatuses].flatMap((container) =>
    containerTrouble(name, container),
  );
  const scheduled = conditions.find(({ type }) => type === "PodScheduled");
  const unschedulable: Found[] =
    scheduled?.status === "False"
      ? [
          {
            // A claim that is not bound is the cause; the scheduler only repeats it.
            depth: /PersistentVolumeClaim/i.test(scheduled.message) ? 25 : 15,
            reason: scheduled.reason,
            sentence: `${name} cannot be scheduled: ${scheduled.message}`,
            since: utc(scheduled.lastTransitionTime),
          },
        ]
      : [];
  const failed: Found[] =
    phase === "Failed" && containers.length === 0
      ? [{ depth: 12, reason: reason || "Failed", sentence: `${name} failed: ${message || reason}`, since: null }]
      : [];
  return [...containers, ...unschedulable, ...failed];
}

function containerTrouble(pod: string, { name, state, lastState, restartCount }: Container): Found[] {
  const waiting = state.waiting?.reason ?? "";
  const ended = state.terminated ?? (waiting === "CrashLoopBackOff" ? lastState.terminated : undefined);
  if (ended && ended.exitCode !== 0) {
    const how = ended.signal ? `by signal ${ended.signal}` : `with exit code ${ended.exitCode ?? "unknown"}`;
    const why = [ended.reason === "Error" ? "" : ended.reason, ended.message].filter(Boolean).join(": ");
    const again = restartCount > 0 ? `, restarted ${restartCount} times` : "";
    const sentence = `${pod}: container ${name} ended ${how}${again}${why ? `: ${why}` : ""}`;
    return [{ depth: 10, reason: waiting || ended.reason || "Error", sentence, since: null }];
  }
  if (normalWaits.has(waiting)) return [];
  const sentence = `${pod}: container ${name} cannot start: ${waiting}${state.waiting?.message ? `: ${state.waiting.message}` : ""}`;
  return [{ depth: 10, reason: waiting, sentence, since: null }];
}

function claimTroubles(claim: KubernetesObject): Found[] {
  const { phase } = statusOf(claim);
  const name = `PersistentVolumeClaim ${claim.metadata.name}`;
  if (phase === "Lost") return [{ depth: 14, reason: "Lost", sentence: `${name} has lost its volume`, since: null }];
  if (phase !== "Pending") return [];
  const spec = z.object({ storageClassName: z.string().optional() }).catch({}).parse(claim.spec);
  const sentence = `${name} is not bound${spec.storageClassName ? ` (storage class ${spec.storageClassName})` : ""}`;
  return [{ depth: 20, reason: "Pending", sentence, since: utc(claim.metadata.creationTimestamp) }];
}

function conditionTroubles(object: KubernetesObject, bad: Record<string, string>): Found[] {
  return statusOf(object)
    .conditions.filter(({ type, status }) => bad[type] === status)
    .map(({ reason, message, lastTransitionTime }) => ({
      depth: 18,
      reason,
      sentence: `${object.kind} ${object.metadata.name}: ${message || reason}`,
      since: utc(lastTransitionTime),
    }));
}

/** Deleting takes a moment; one that a finalizer holds for longer waits for somebody. */
const DELETING_MS = 30_000;

function heldByFinalizers({ kind, metadata }: KubernetesObject, now: number): Found[] {
  const since = utc(metadata.deletionTimestamp);
  const finalizers = metadata.finalizers ?? [];
  if (!since || finalizers.length === 0 || now - Date.parse(since) < DELETING_MS) return [];
  const sentence = `${kind} ${metadata.name} is being deleted but held by the finalizer ${finalizers.join(", ")}`;
  return [{ depth: 16, reason: "FinalizerHeld", sentence, since }];
}
