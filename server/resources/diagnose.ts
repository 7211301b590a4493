import { z } from "zod";
import type { KubernetesObject } from "@/server/kubernetes/object";
import { refOf } from "@/server/reconcile/planned-write";
import type { World } from "@/server/reconcile/world";
import type { Cause } from "./explain-answers";
import { troublesOf, type Trouble } from "./cause";
import type { Owned } from "./owned";
import { warningsOf, type Warning } from "./warnings";

export type Diagnosis = { causes: Cause[]; unknown: string[] };

/** What the objects of a resource say is wrong, the true cause first; what only repeats another cause is dropped. */
export async function diagnose(owned: readonly Owned[], world: World): Promise<Diagnosis> {
  const now = world.now;
  const told = owned.flatMap(({ object }) => troublesOf(object, now));
  const asked = owned.filter(({ object }) => needsEvents(object, told)).slice(0, ASKED_MAX);
  const unknown: string[] = [];
  const warned = await Promise.all(
    asked.map(async ({ object }) => {
      try {
        return (await warningsOf(object, world)).map((warning) => troubleOf(object, warning));
      } catch {
        unknown.push(`the warning events of ${object.kind} ${object.metadata.name} could not be read`);
        return [];
      }
    }),
  );
  const causes = withoutRestatements([...told, ...warned.flat().flatMap((trouble) => trouble ?? [])], owned)
    .toSorted((a, b) => a.depth - b.depth)
    .map(({ sentence, reason, object, since }) => ({ sentence, reason, object: refOf(object), since }));
  return { causes: unique(causes), unknown };
}

/** Enough for a diagnosis; a set with a hundred sick pods is explained by the first of them. */
const ASKED_MAX = 12;

const countsSchema = z.object({
  replicas: z.number().default(0),
  readyReplicas: z.number().default(0),
  availableReplicas: z.number().default(0),
});
const wantedSchema = z.object({ replicas: z.number().default(1) });

/** Events outlive what they warn of, so only an object that is unwell now is asked for its own. */
function needsEvents(object: KubernetesObject, told: readonly Trouble[]): boolean {
  if (object.metadata.deletionTimestamp) return false;
  if (told.some((trouble) => trouble.object === object)) return object.kind === "PersistentVolumeClaim";
  return isUnwell[object.kind]?.(object) ?? false;
}

const isUnwell: Record<string, (object: KubernetesObject) => boolean> = {
  StatefulSet: isShort,
  ReplicaSet: isShort,
  Deployment: isShort,
  Job: ({ status }) => !status?.succeeded,
  Pod: isNotReady,
};

function isShort({ spec, status }: KubernetesObject): boolean {
  const wanted = wantedSchema.catch({ replicas: 1 }).parse(spec ?? {}).replicas;
  const { readyReplicas } = countsSchema
    .catch({ replicas: 0, readyReplicas: 0, availableReplicas: 0 })
    .parse(status ?? {});
  return readyReplicas < wanted;
}

function isNotReady({ status }: KubernetesObject): boolean {
  const conditions = z
    .array(z.object({ type: z.string(), status: z.string() }))
    .catch([])
    .parse(status?.conditions);
  return !conditions.some(({ type, status: value }) => type === "Ready" && value === "True");
}

// Words of Kubernetes that only say that something else is wrong.
const restatements = new Set(["BackOff", "ContainersNotReady", "MinimumReplicasUnavailable", "ReplicaSetUpdated"]);

/** How near to the cause each warning is: what keeps an object from being made, then what keeps it from working. */
const depths: Record<string, number> = {
  FailedCreate: 11,
  FailedMount: 13,
  FailedAttachVolume: 13,
  FailedCreatePodSandBox: 13,
  ProvisioningFailed: 14,
  FailedBinding: 14,
  FailedScheduling: 17,
  Unhealthy: 19,
};
const DEPTH_OTHERWISE = 22;

function troubleOf(object: KubernetesObject, { reason, message, count, firstSeen }: Warning): Trouble | null {
  if (restatements.has(reason)) return null;
  const times = count > 1 ? ` (x${count})` : "";
  const sentence = `${object.kind} ${object.metadata.name}: ${reason}: ${message}${times}`;
  return { depth: depths[reason] ?? DEPTH_OTHERWISE, reason, sentence, object, since: firstSeen || null };
}

/** An owner's trouble that comes from what it owns says nothing new; nor does a claim's state beside its warning. */
function withoutRestatements(troubles: readonly Trouble[], owned: readonly Owned[]): Trouble[] {
  const owners = new Map(owned.map(({ object, ownerUid }) => [object.metadata.uid, ownerUid]));
  const explained = new Set<string>();
  for (const { object, depth } of troubles) {
    if (depth >= DEPTH_OTHERWISE) continue;
    let uid = owners.get(object.metadata.uid);
    for (let hops = 0; uid && hops < 6; hops++, uid = owners.get(uid)) explained.add(uid);
  }
  return troubles.filter((trouble) => {
    const uid = trouble.object.metadata.uid ?? "";
    if (explained.has(uid) && trouble.reason !== "FailedCreate" && trouble.reason !== "FinalizerHeld") return false;
    return !troubles.some((other) => other.object === trouble.object && other.depth < trouble.depth);
  });
}

function unique(causes: Cause[]): Cause[] {
  return causes.filter((cause, at) => causes.findIndex(({ sentence }) => sentence === cause.sentence) === at);
}
