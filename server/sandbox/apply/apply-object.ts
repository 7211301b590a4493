import { type KubernetesObject } from "@/server/kubernetes/object";
import { diffFields, fieldsOf } from "@/server/sandbox/apply/field-diff";
import {
  type Fields,
  type FieldSet,
  intersect,
  pathsIn,
  shownPath,
  subtract,
  unite,
} from "@/server/sandbox/apply/field-set";
import {
  entriesOf,
  isSameManager,
  type ManagedFields,
  setManagedFields,
  tracked,
  withoutFields,
} from "@/server/sandbox/apply/managed-fields";
import { mergeApplied, pruneFields } from "@/server/sandbox/apply/merge-applied";
import { trackedSchema } from "@/server/sandbox/apply/tracked-schema";
import { equalJson, recordOf, without } from "@/server/sandbox/json";
import { StatusError } from "@/server/sandbox/status-error";
import { apiVersionOf, type ResourceType } from "@/server/sandbox/type-registry";

export type Applied = { manager: string; force: boolean; time: string; subresource?: string | undefined };

/** The object that an apply creates. */
export function applyNew(type: ResourceType, config: KubernetesObject, applied: Applied): KubernetesObject {
  const object = { ...config, metadata: { ...config.metadata } };
  setManagedFields(object, [entryFor(type, configFields(type, config), applied)]);
  return object;
}

/** The object after an apply, with its new owners. Throws 409 for fields that others own and that would change. */
export function applyOver(
  type: ResourceType,
  live: KubernetesObject,
  config: KubernetesObject,
  applied: Applied,
): KubernetesObject {
  const wanted = configFields(type, config);
  const own = entryFor(type, wanted, applied);
  const entries = entriesOf(live);
  const mine = entries.find((entry) => isSameManager(entry, own));
  const others = entries.filter((entry) => entry !== mine);

  const before = tracked(live);
  const merged = mergeApplied(trackedSchema(type), before, tracked(config));
  const { changed } = diffFields(trackedSchema(type), before, merged);
  const conflicts = others
    .map((entry) => ({ entry, fields: intersect(entry.fieldsV1, intersect(changed, wanted)) }))
    .filter(({ fields }) => fields !== null);
  if (conflicts.length > 0 && !applied.force) throw applyConflict(conflicts);

  const othersUnion = others.reduce<Fields>((all, entry) => unite(all, entry.fieldsV1), null);
  const relinquished = subtract(subtract(mine?.fieldsV1 ?? null, wanted), othersUnion);
  const result = relinquished ? recordOf(pruneFields(trackedSchema(type), merged, relinquished)) : recordOf(merged);
  const kept = withoutFields(
    others,
    conflicts.reduce<Fields>((all, { fields }) => unite(all, fields), null),
  );
  const next = assembled(live, result);
  const same = mine && equalJson(mine.fieldsV1, own.fieldsV1);
  setManagedFields(next, same ? inPlace(entries, kept, mine) : [...kept, own]);
  return next;
}

function inPlace(
  entries: readonly ManagedFields[],
  kept: readonly ManagedFields[],
  mine: ManagedFields,
): ManagedFields[] {
  return entries.length === kept.length + 1 && kept.every((entry) => entries.includes(entry))
    ? [...entries]
    : [...kept, mine];
}

function assembled(live: KubernetesObject, result: Readonly<Record<string, unknown>>): KubernetesObject {
  const identity = without(live.metadata, "labels", "annotations", "ownerReferences", "finalizers");
  const metadata = { ...identity, ...recordOf(result["metadata"]) };
  return { apiVersion: live.apiVersion, kind: live.kind, ...result, metadata };
}

function configFields(type: ResourceType, config: KubernetesObject): FieldSet {
  return fieldsOf(trackedSchema(type), tracked(config), { withContainers: false });
}

function entryFor(type: ResourceType, fieldsV1: FieldSet, { manager, time, subresource }: Applied): ManagedFields {
  return {
    manager,
    operation: "Apply",
    apiVersion: apiVersionOf(type),
    time,
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(subresource ? { subresource } : {}),
  };
}

function applyConflict(conflicts: readonly { entry: ManagedFields; fields: Fields }[]): StatusError {
  const causes = conflicts.flatMap(({ entry, fields }) =>
    [...pathsIn(fields)].map((path) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${shownManager(entry)}`,
      field: shownPath(path),
    })),
  );
  const plural = causes.length === 1 ? "conflict" : "conflicts";
  const message = `Apply failed with ${causes.length} ${plural}: ${conflicts.map(shownConflicts).join("\n")}`;
  return new StatusError(409, "Conflict", message, { causes });
}

function shownConflicts({ entry, fields }: { entry: ManagedFields; fields: Fields }): string {
  const paths = [...pathsIn(fields)].map(shownPath).sort();
  if (paths.length === 1) return `conflict with ${shownManager(entry)}: ${String(paths[0])}`;
  return [`conflicts with ${shownManager(entry)}:`, ...paths.map((path) => `- ${path}`)].join("\n");
}

function shownManager({ manager, operation, apiVersion, subresource, time }: ManagedFields): string {
  const name = `${JSON.stringify(manager)}${subresource ? ` with subresource ${JSON.stringify(subresource)}` : ""}`;
  if (operation === "Apply") return name;
  return `${name} using ${apiVersion}${time ? ` at ${time}` : ""}`;
}
