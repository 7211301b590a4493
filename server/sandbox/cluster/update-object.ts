import { type KubernetesObject, type ObjectMeta } from "@/server/kubernetes/object";
import { admit, type RequestContext } from "@/server/sandbox/admission-plugin";
import { trackUpdate } from "@/server/sandbox/apply/managed-fields";
import { contentOf, dropEmpty, timeOf, type WriteDeps } from "@/server/sandbox/cluster/write";
import { validateMetadata } from "@/server/sandbox/cluster/validate-metadata";
import { invalid } from "@/server/sandbox/field-error";
import { cloneJson, equalJson, listOf, own } from "@/server/sandbox/json";
import { conflictError, invalidError, notFoundError } from "@/server/sandbox/status-error";
import { type PartDoor, type ResourceType } from "@/server/sandbox/type-registry";

export type UpdateOptions = {
  subresource?: string | undefined;
  /** A PUT: without a resourceVersion some kinds refuse it. */
  replaces?: boolean;
  /** It comes from server-side apply, which has settled who owns what. */
  applied?: boolean;
};

/** From what is stored to what should be; called again when somebody else wrote in between. The result is nobody else's at its top level. */
export type Change = (old: KubernetesObject) => KubernetesObject | Promise<KubernetesObject>;

const RETRIES_MAX = 8;

export async function updateObject(
  deps: WriteDeps,
  type: ResourceType,
  at: { namespace: string | undefined; name: string },
  change: Change,
  ctx: RequestContext,
  options: UpdateOptions = {},
): Promise<KubernetesObject> {
  for (let attempt = 0; attempt < RETRIES_MAX; attempt += 1) {
    const old = deps.store.get(type.storageKey, at.namespace, at.name);
    if (!old) throw notFoundError(type, at.name);
    const asked = await change(old);
    checkPreconditions(type, old, asked, options);
    // Strategies change what they get; what was asked for shares parts with what is stored.
    const owned = (type.strategy.prepareUpdate ?? type.strategy.normalize) ? cloneJson : same;
    const next = owned(merged(type, old, asked, options.subresource));
    type.strategy.normalize?.(next);
    if (type.strategy.prepareUpdate && !options.subresource) type.strategy.prepareUpdate(next, old);
    countGeneration(type, next, old);

    const attributes = {
      operation: "UPDATE" as const,
      type,
      name: at.name,
      object: next,
      oldObject: old,
      ctx,
      ...(at.namespace ? { namespace: at.namespace } : {}),
      ...(options.subresource ? { subresource: options.subresource } : {}),
    };
    await admit(deps.plugins, "mutate", attributes);
    const { validate } = doorOf(type, options.subresource) ?? type.strategy;
    const errors = [...validateMetadata(type, next, old), ...(validate?.(next, old) ?? [])];
    if (errors.length > 0) throw invalidError(type, at.name, errors);
    const { subresource } = options;
    const changed = !options.applied && trackUpdate(type, old, next, ctx, { time: timeOf(deps.clock), subresource });
    await admit(deps.plugins, "validate", attributes);

    const current = deps.store.get(type.storageKey, at.namespace, at.name);
    // Somebody else was faster. Tried again, who asked for this one version finds another and is refused.
    if (current !== old) continue;
    if (!changed && equalJson(next, old)) return old;
    if (ctx.dryRun) return next;
    if (isFinished(next)) return deps.store.remove(type.storageKey, next);
    return deps.store.put(type.storageKey, next);
  }
  throw conflictError(type, at.name);
}

function checkPreconditions(
  type: ResourceType,
  old: KubernetesObject,
  asked: KubernetesObject,
  options: UpdateOptions,
) {
  const { resourceVersion, uid } = asked.metadata;
  if (uid && uid !== old.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${String(old.metadata.uid)}`;
    throw conflictError(type, old.metadata.name, why);
  }
  if (resourceVersion && resourceVersion !== "0") {
    if (resourceVersion !== old.metadata.resourceVersion) throw conflictError(type, old.metadata.name);
  } else if (options.replaces && type.strategy.versionRequired) {
    const missing = invalid("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalidError(type, old.metadata.name, [missing]);
  }
}

function doorOf({ strategy }: ResourceType, subresource: string | undefined): PartDoor | undefined {
  return subresource === undefined || !strategy.doors ? undefined : own(strategy.doors, subresource);
}

function same<T>(value: T): T {
  return value;
}

/** What a client may change through this door, over what it may not. */
function merged(
  type: ResourceType,
  old: KubernetesObject,
  asked: KubernetesObject,
  subresource: string | undefined,
): KubernetesObject {
  const door = doorOf(type, subresource);
  if (door) return door.merge(old, asked);
  if (subresource === "status") return withStatus(old, asked);
  const next: KubernetesObject = {
    ...(type.strategy.prepareUpdate ? cloneJson(asked) : asked),
    apiVersion: old.apiVersion,
    kind: old.kind,
  };
  next.metadata = mergedMetadata(old.metadata, asked.metadata);
  if (type.subresources["status"]) keep(next, old, "status");
  return next;
}

const KEPT_METADATA = [
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "generation",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

function mergedMetadata(old: ObjectMeta, asked: ObjectMeta): ObjectMeta {
  const next = { ...asked, name: old.name };
  // A patch that leaves it alone shares it with what is stored.
  if (asked === old) return next;
  if (old.namespace !== undefined) next.namespace = old.namespace;
  for (const key of KEPT_METADATA) keep(next, old, key);
  dropEmpty(next);
  return next;
}

function withStatus(old: KubernetesObject, asked: KubernetesObject): KubernetesObject {
  const next = { ...old, metadata: { ...old.metadata } };
  if (asked.status === undefined) delete next.status;
  else next.status = asked.status;
  if (asked.metadata.managedFields) next.metadata.managedFields = asked.metadata.managedFields;
  return next;
}

function keep<T extends object>(next: T, old: T, key: keyof T) {
  if (next[key] === old[key]) return;
  if (old[key] !== undefined) next[key] = old[key];
  else Reflect.deleteProperty(next, key);
}

function countGeneration(type: ResourceType, next: KubernetesObject, old: KubernetesObject) {
  if (!type.strategy.generation || equalJson(contentOf(next), contentOf(old))) return;
  next.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** Deleted, and nobody holds it back any more. */
function isFinished({ kind, metadata, spec }: KubernetesObject): boolean {
  if (metadata.deletionTimestamp === undefined || metadata.deletionGracePeriodSeconds) return false;
  const held = kind === "Namespace" ? listOf(spec?.["finalizers"]) : [];
  return held.length === 0 && !metadata.finalizers?.length;
}
