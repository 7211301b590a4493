import { isAtomic, type Part, partsOf, schemaOfKey } from "@/server/sandbox/apply/elements";
import { type Fields, type FieldSet, nodeOf } from "@/server/sandbox/apply/field-set";
import { equalJson, isRecord, own, without } from "@/server/sandbox/json";
import { type Schema } from "@/server/sandbox/schema/schema";

export type FieldDiff = { changed: Fields; removed: Fields };

/** All fields of a value. `withContainers`: a map or list counts as a field beside what is in it. */
export function fieldsOf(schema: Schema | undefined, value: unknown, options: { withContainers: boolean }): FieldSet {
  const parts = partsOf(schema, value);
  if (!parts || parts.length === 0) return {};
  const children: Record<string, FieldSet> = {};
  for (const part of parts) {
    const inner = fieldsOf(part.schema, part.value, options);
    children[part.element] = isItem(part) && Object.keys(inner).length > 0 ? { ".": {}, ...inner } : inner;
  }
  return nodeOf(options.withContainers, children) ?? {};
}

/** What differs between two versions: fields that are new or have another value, and fields that are gone. */
export function diffFields(schema: Schema | undefined, before: unknown, after: unknown): FieldDiff {
  if (before === after) return { changed: null, removed: null };
  if (isRecord(before) && isRecord(after) && !isAtomic(schema)) return diffRecords(schema, before, after);
  const [old, next] = [partsOf(schema, before), partsOf(schema, after)];
  if (!old || !next || Array.isArray(before) !== Array.isArray(after)) return diffWhole(schema, before, after);
  const changed: Record<string, FieldSet> = {};
  const removed: Record<string, FieldSet> = {};
  const known = new Map(old.map((part) => [part.element, part]));
  for (const part of next) {
    const past = known.get(part.element);
    known.delete(part.element);
    if (past) {
      const inner = diffFields(part.schema, past.value, part.value);
      if (inner.changed) changed[part.element] = inner.changed;
      if (inner.removed) removed[part.element] = inner.removed;
    } else changed[part.element] = withSelf(part);
  }
  for (const part of known.values()) removed[part.element] = withSelf(part);
  return { changed: nodeOf(false, changed), removed: nodeOf(false, removed) };
}

type Fieldwise = Readonly<Record<string, unknown>>;

/** Every write comes by here, and most of what it finds is shared with the older version. */
function diffRecords(schema: Schema | undefined, before: Fieldwise, after: Fieldwise): FieldDiff {
  const changed: Record<string, FieldSet> = {};
  const removed: Record<string, FieldSet> = {};
  for (const [key, value] of Object.entries(after)) {
    const past = own(before, key);
    if (value === undefined || value === past) continue;
    const part: Part = { element: `f:${key}`, schema: schemaOfKey(schema, key), value };
    const inner = past === undefined ? null : diffFields(part.schema, past, value);
    if (!inner) changed[part.element] = withSelf(part);
    if (inner?.changed) changed[part.element] = inner.changed;
    if (inner?.removed) removed[part.element] = inner.removed;
  }
  for (const [key, value] of Object.entries(before)) {
    if (value === undefined || own(after, key) !== undefined) continue;
    removed[`f:${key}`] = withSelf({ element: `f:${key}`, schema: schemaOfKey(schema, key), value });
  }
  return { changed: nodeOf(false, changed), removed: nodeOf(false, removed) };
}

function diffWhole(schema: Schema | undefined, before: unknown, after: unknown): FieldDiff {
  if (equalJson(before, after)) return { changed: null, removed: null };
  return {
    changed: after === undefined ? null : fieldsOf(schema, after, { withContainers: true }),
    removed: isRecord(before) || Array.isArray(before) ? fieldsOf(schema, before, { withContainers: true }) : null,
  };
}

/** Structs that are always there are not fields of their own. */
const CONSTANT_CONTAINERS = new Set(["f:metadata", "f:spec", "f:status", "f:template"]);

function withSelf(part: Part): FieldSet {
  const inner = fieldsOf(part.schema, part.value, { withContainers: true });
  if (!CONSTANT_CONTAINERS.has(part.element) || !("." in inner)) return inner;
  return without(inner, ".");
}

function isItem({ element }: Part): boolean {
  return element.startsWith("k:");
}
