import { elementIn, schemaOfKey } from "@/server/sandbox/apply/elements";
import { type FieldSet, isMember } from "@/server/sandbox/apply/field-set";
import { isRecord, setKey } from "@/server/sandbox/json";
import { type Schema } from "@/server/sandbox/schema/schema";

/** What is applied over what is there: maps by key, lists as their schema says, everything else replaced. */
export function mergeApplied(schema: Schema | undefined, live: unknown, applied: unknown): unknown {
  if (isRecord(live) && isRecord(applied) && schema?.["x-kubernetes-map-type"] !== "atomic") {
    const merged: Record<string, unknown> = { ...live };
    for (const [key, value] of Object.entries(applied)) {
      setKey(
        merged,
        key,
        mergeApplied(schemaOfKey(schema, key), Object.hasOwn(merged, key) ? merged[key] : undefined, value),
      );
    }
    return merged;
  }
  const element = Array.isArray(live) && Array.isArray(applied) ? elementIn(schema) : null;
  return element && Array.isArray(live) && Array.isArray(applied)
    ? mergeLists(schema, element, live, applied)
    : applied;
}

/** Items keep their places; new ones go to the end in the order in which they were applied. */
function mergeLists(
  schema: Schema | undefined,
  element: (item: unknown) => string | null,
  live: readonly unknown[],
  applied: readonly unknown[],
): unknown[] {
  const wanted = new Map(applied.map((item) => [element(item), item]));
  const merged = live.map((item) => {
    const name = element(item);
    if (!wanted.has(name)) return item;
    const next = mergeApplied(schema?.items, item, wanted.get(name));
    wanted.delete(name);
    return next;
  });
  return [...merged, ...wanted.values()];
}

/**
 * The value without the fields in `gone`. A list item goes when it is itself in the set; a map or list that is left
 * empty goes too, unless it was empty before.
 */
export function pruneFields(schema: Schema | undefined, value: unknown, gone: FieldSet): unknown {
  if (isRecord(value)) {
    const kept: Record<string, unknown> = { ...value };
    for (const [key, inner] of Object.entries(value)) {
      const below = gone[`f:${key}`];
      if (!below) continue;
      const left = isLeaf(below) ? undefined : pruneFields(schemaOfKey(schema, key), inner, below);
      if (left === undefined) Reflect.deleteProperty(kept, key);
      else setKey(kept, key, left);
    }
    return Object.keys(kept).length === 0 ? undefined : kept;
  }
  const element = Array.isArray(value) ? elementIn(schema) : null;
  if (!Array.isArray(value) || !element) return value;
  const kept = value.flatMap((item: unknown): unknown[] => {
    const below = gone[element(item) ?? ""];
    if (!below) return [item];
    if (isMember(below)) return [];
    const left = pruneFields(schema?.items, item, below);
    return left === undefined ? [] : [left];
  });
  return kept.length === 0 ? undefined : kept;
}

function isLeaf(set: FieldSet): boolean {
  return Object.keys(set).length === 0;
}
