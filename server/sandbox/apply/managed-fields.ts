import { type KubernetesObject } from "@/server/kubernetes/object";
import { type RequestContext } from "@/server/sandbox/admission-plugin";
import { diffFields } from "@/server/sandbox/apply/field-diff";
import { covers, type Fields, type FieldSet, subtract, unite } from "@/server/sandbox/apply/field-set";
import { trackedSchema } from "@/server/sandbox/apply/tracked-schema";
import { equalJson, isRecord, setKey } from "@/server/sandbox/json";
import { apiVersionOf, type ResourceType } from "@/server/sandbox/type-registry";

/** One entry of metadata.managedFields. */
export type ManagedFields = {
  manager: string;
  operation: "Apply" | "Update";
  apiVersion: string;
  time?: string;
  fieldsType: "FieldsV1";
  fieldsV1: FieldSet;
  subresource?: string;
};

export function trackCreate(type: ResourceType, object: KubernetesObject, ctx: RequestContext, time: string) {
  const { changed } = diffFields(trackedSchema(type), {}, tracked(object));
  object.metadata.managedFields = changed ? [entryOf(type, ctx, { time, fields: changed })] : [];
}

/**
 * What a write that is no apply does to who owns what: the writer gets what it changed, nobody keeps what is gone.
 * Says whether a field that has an owner was changed.
 */
export function trackUpdate(
  type: ResourceType,
  old: KubernetesObject,
  next: KubernetesObject,
  ctx: RequestContext,
  { time, subresource }: { time: string; subresource?: string | undefined },
): boolean {
  const known = entriesOf(old);
  const before = isReset(next.metadata.managedFields) ? [] : known;
  const { changed, removed } = diffFields(trackedSchema(type), tracked(old), tracked(next));
  keepManagedFields(next, old);
  const touched = changed !== null || removed !== null;
  if (!touched && before.length === known.length) return false;
  const own = entryOf(type, ctx, { time, fields: {}, subresource });
  const mine = before.find((entry) => isSameManager(entry, own));
  // Most writes: somebody changes again what nobody else has changed.
  if (mine && before.length === 1 && removed === null && covers(mine.fieldsV1, changed)) return touched;
  const others = withoutFields(
    before.filter((entry) => entry !== mine),
    unite(changed, removed),
  );
  const fields = subtract(unite(mine?.fieldsV1 ?? null, changed), removed);
  const unchanged = mine && equalJson(mine.fieldsV1, fields);
  const entries = fields === null ? others : [...others, unchanged ? mine : { ...own, fieldsV1: fields }];
  setManagedFields(next, entries);
  return touched;
}

export function entriesOf({ metadata }: KubernetesObject): ManagedFields[] {
  return (metadata.managedFields ?? []).filter(isEntry);
}

export function setManagedFields(object: KubernetesObject, entries: readonly ManagedFields[]) {
  if (entries.length > 0) object.metadata.managedFields = [...entries];
  else delete object.metadata.managedFields;
}

/** The entries without these fields; one that has none left is gone. */
export function withoutFields(entries: readonly ManagedFields[], gone: Fields): ManagedFields[] {
  return entries.flatMap((entry) => {
    const fieldsV1 = subtract(entry.fieldsV1, gone);
    if (fieldsV1 === null) return [];
    return equalJson(fieldsV1, entry.fieldsV1) ? [entry] : [{ ...entry, fieldsV1 }];
  });
}

export function isSameManager(a: ManagedFields, b: ManagedFields): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.apiVersion === b.apiVersion &&
    a.subresource === b.subresource
  );
}

const UNTRACKED = new Set(["apiVersion", "kind", "metadata"]);
const TRACKED_METADATA = ["generateName", "labels", "annotations", "ownerReferences", "finalizers"] as const;

/** The part of an object whose fields have owners. */
export function tracked(object: KubernetesObject): Record<string, unknown> {
  let metadata: Record<string, unknown> | null = null;
  for (const key of TRACKED_METADATA) {
    const value = object.metadata[key];
    if (value !== undefined) (metadata ??= {})[key] = value;
  }
  const result: Record<string, unknown> = metadata ? { metadata } : {};
  for (const key in object) if (!UNTRACKED.has(key)) setKey(result, key, object[key]);
  return result;
}

function entryOf(
  type: ResourceType,
  ctx: RequestContext,
  { time, fields, subresource }: { time: string; fields: FieldSet; subresource?: string | undefined },
): ManagedFields {
  return {
    manager: ctx.fieldManager ?? ctx.user.username,
    operation: "Update",
    apiVersion: apiVersionOf(type),
    time,
    fieldsType: "FieldsV1",
    fieldsV1: fields,
    ...(subresource ? { subresource } : {}),
  };
}

function keepManagedFields(next: KubernetesObject, old: KubernetesObject) {
  if (old.metadata.managedFields) next.metadata.managedFields = old.metadata.managedFields;
  else delete next.metadata.managedFields;
}

/** `[]` or `[{}]`: the client wants to start over. */
function isReset(entries: readonly unknown[] | undefined): boolean {
  return entries !== undefined && (entries.length === 0 || (entries.length === 1 && equalJson(entries[0], {})));
}

function isEntry(value: unknown): value is ManagedFields {
  return isRecord(value) && isRecord(value["fieldsV1"]) && typeof value["manager"] === "string";
}
