import { type KubernetesObject } from "@/server/kubernetes/object";
import { admit, type RequestContext } from "@/server/sandbox/admission-plugin";
import { timeOf, type WriteDeps } from "@/server/sandbox/cluster/write";
import { isRecord, textOf } from "@/server/sandbox/json";
import { conflictError, notFoundError } from "@/server/sandbox/status-error";
import { type ResourceType } from "@/server/sandbox/type-registry";

export type DeleteOptions = {
  uid?: string;
  resourceVersion?: string;
  propagation?: "Background" | "Foreground" | "Orphan";
  graceSeconds?: number;
};

/** `gone`: the object is no more; otherwise it is on its way out and somebody has to finish it. */
export type Deleted = { object: KubernetesObject; gone: boolean };

export async function deleteObject(
  deps: WriteDeps,
  type: ResourceType,
  at: { namespace: string | undefined; name: string },
  options: DeleteOptions,
  ctx: RequestContext,
): Promise<Deleted> {
  const found = deps.store.get(type.storageKey, at.namespace, at.name);
  if (!found) throw notFoundError(type, at.name);
  const attributes = {
    operation: "DELETE" as const,
    type,
    name: at.name,
    oldObject: found,
    ctx,
    ...(at.namespace ? { namespace: at.namespace } : {}),
  };
  await admit(deps.plugins, "mutate", attributes);
  await admit(deps.plugins, "validate", attributes);

  // Read again: admission may have waited.
  const old = deps.store.get(type.storageKey, at.namespace, at.name);
  if (!old) throw notFoundError(type, at.name);
  checkPreconditions(type, old, options);
  const next = marked(deps, type, old, options);
  if (next === null) return { object: ctx.dryRun ? old : deps.store.remove(type.storageKey, old), gone: true };
  if (next === old || ctx.dryRun) return { object: next, gone: false };
  return { object: deps.store.put(type.storageKey, next), gone: false };
}

function checkPreconditions(type: ResourceType, old: KubernetesObject, { uid, resourceVersion }: DeleteOptions) {
  // Here the real one names the kind where all other messages name the resource.
  const subject = { group: type.group, plural: type.kind };
  const { metadata } = old;
  if (uid && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${String(metadata.uid)}). The object might have been deleted and then recreated`;
    throw conflictError(subject, metadata.name, why);
  }
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${String(metadata.resourceVersion)}). The object might have been modified`;
    throw conflictError(subject, metadata.name, why);
  }
}

/** The object on its way out, or null when nothing keeps it from going at once. */
function marked(
  { clock }: WriteDeps,
  type: ResourceType,
  old: KubernetesObject,
  options: DeleteOptions,
): KubernetesObject | null {
  const finalizers = finalizersOf(old, options.propagation);
  const graceSeconds = graceOf(type, old, options);
  const held = finalizers.length > 0 || (type.storageKey === "namespaces" && namespaceIsHeld(old));
  if (graceSeconds === 0 && !held) return null;

  const before = old.metadata;
  const shorter = before.deletionGracePeriodSeconds === undefined || graceSeconds < before.deletionGracePeriodSeconds;
  if (before.deletionTimestamp && !shorter && sameList(finalizers, before.finalizers ?? [])) return old;
  const metadata = { ...before };
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  if (!before.deletionTimestamp || shorter) {
    metadata.deletionTimestamp = timeOf({ now: () => clock.now() + graceSeconds * 1_000 });
    metadata.deletionGracePeriodSeconds = graceSeconds;
  }
  if (!before.deletionTimestamp && before.generation) metadata.generation = before.generation + 1;
  const next = { ...old, metadata };
  if (type.storageKey === "namespaces") next.status = { ...old.status, phase: "Terminating" };
  return next;
}

function finalizersOf({ metadata }: KubernetesObject, propagation: DeleteOptions["propagation"]): string[] {
  const others = (metadata.finalizers ?? []).filter((name) => name !== "foregroundDeletion" && name !== "orphan");
  if (propagation === "Foreground") return [...others, "foregroundDeletion"];
  if (propagation === "Orphan") return [...others, "orphan"];
  return propagation === "Background" ? others : [...(metadata.finalizers ?? [])];
}

/** Only pods are given time. One that no node runs, or that is over, needs none. */
function graceOf(type: ResourceType, old: KubernetesObject, { graceSeconds }: DeleteOptions): number {
  if (type.storageKey !== "pods") return 0;
  const phase = textOf(old.status?.["phase"]);
  if (!old.spec?.["nodeName"] || phase === "Failed" || phase === "Succeeded") return 0;
  if (graceSeconds !== undefined) return Math.max(graceSeconds, 0);
  const own = old.spec["terminationGracePeriodSeconds"];
  return typeof own === "number" ? own : 30;
}

function namespaceIsHeld(namespace: KubernetesObject): boolean {
  const finalizers = isRecord(namespace.spec) ? namespace.spec["finalizers"] : undefined;
  return Array.isArray(finalizers) && finalizers.length > 0;
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
