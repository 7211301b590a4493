import { apis } from "@/server/kubernetes/apis";
import type { Api, KubernetesObject } from "@/server/kubernetes/object";
import { refOf } from "@/server/reconcile/planned-write";
import type { TreeNode } from "./object-answers";
import { troublesOf } from "./cause";
import type { Asked } from "./context";
import { mustRead } from "./get";
import { utc } from "./lifecycle-states";
import { ownedBy, type Owned } from "./owned";
import { readResource } from "./read-resource";
import type { Ref } from "./ref";

/** What a resource owns, as a tree. Kinds of object that the caller may not list are left out, and named. */
export async function objects(asked: Asked, ref: Ref): Promise<{ tree: TreeNode[]; hidden: string[] }> {
  await mustRead(asked, ref);
  const { object, remembered, world, now } = await readResource(asked, ref);
  const uid = object.metadata.uid ?? "";
  const owned = await ownedBy(uid, remembered, world);
  const kindsSeen = [...new Set(owned.map((one) => one.object.kind))];
  const listable = new Set<string>();
  await Promise.all(
    kindsSeen.map(async (kind) => {
      const api = apiOf(kind);
      const question = api && { verb: "list", api, namespace: ref.namespace || undefined };
      if (question && (await asked.rights.may(asked.identity, question)).allowed) listable.add(kind);
    }),
  );
  const shown = owned.filter((one) => listable.has(one.object.kind));
  return { tree: treeOf(uid, shown, now), hidden: kindsSeen.filter((kind) => !listable.has(kind)) };
}

function apiOf(kind: string): Api | undefined {
  return Object.values(apis).find((api) => api.kind === kind);
}

function treeOf(ownerUid: string, owned: readonly Owned[], now: number): TreeNode[] {
  return owned
    .filter((one) => one.ownerUid === ownerUid)
    .toSorted((a, b) => keyOf(a.object).localeCompare(keyOf(b.object), "en"))
    .map(({ object }) => ({
      object: refOf(object),
      ...wordsOf(object, now),
      createdAt: utc(object.metadata.creationTimestamp),
      children: treeOf(object.metadata.uid ?? "", owned, now),
    }));
}

function keyOf({ kind, metadata }: KubernetesObject): string {
  return `${kind}/${metadata.name}`;
}

function wordsOf(object: KubernetesObject, now: number): Pick<TreeNode, "tone" | "sentence"> {
  const [trouble] = troublesOf(object, now).toSorted((a, b) => a.depth - b.depth);
  if (trouble) return { tone: trouble.reason === "Pending" ? "warn" : "bad", sentence: trouble.sentence };
  if (object.metadata.deletionTimestamp) return { tone: "busy", sentence: "being deleted" };
  return words[object.kind]?.(object) ?? { tone: "good", sentence: "present" };
}

const words: Record<string, (object: KubernetesObject) => Pick<TreeNode, "tone" | "sentence">> = {
  StatefulSet: replicas,
  Deployment: replicas,
  ReplicaSet: replicas,
  Pod: ({ status }) => {
    const conditions = Array.isArray(status?.conditions)
      ? (status.conditions as { type?: string; status?: string }[])
      : [];
    const ready = conditions.some(({ type, status: value }) => type === "Ready" && value === "True");
    return ready
      ? { tone: "good", sentence: "ready" }
      : { tone: "busy", sentence: `${textOf(status?.phase) || "Pending"}, not ready` };
  },
  PersistentVolumeClaim: ({ status }) => ({ tone: "good", sentence: textOf(status?.phase) || "present" }),
};

function replicas({ spec, status }: KubernetesObject): Pick<TreeNode, "tone" | "sentence"> {
  const wanted = Number(spec?.replicas ?? 1);
  const ready = Number(status?.readyReplicas ?? 0);
  return { tone: ready >= wanted ? "good" : "busy", sentence: `${ready} of ${wanted} pods ready` };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
