import { schemaOfKey } from "@/server/sandbox/apply/elements";
import { equalJson, isRecord, listOf, setKey, textOf } from "@/server/sandbox/json";
import { type Schema } from "@/server/sandbox/schema/schema";
import { badRequestError } from "@/server/sandbox/status-error";

const DIRECTIVES = ["$patch", "$retainKeys"];
const DELETE_FROM_LIST = "$deleteFromPrimitiveList/";
const SET_ORDER = "$setElementOrder/";

/** Kubernetes' own patch: a merge patch that knows, from the schema, which lists are merged and by which key. */
export function strategicPatch(schema: Schema | undefined, target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  if (patch["$patch"] === "delete") return undefined;
  if (patch["$patch"] === "replace") return withoutDirectives(patch);
  const result = retained(target, patch["$retainKeys"]);
  for (const [key, value] of Object.entries(patch)) {
    if (DIRECTIVES.includes(key) || key.startsWith(SET_ORDER)) continue;
    if (key.startsWith(DELETE_FROM_LIST)) dropValues(result, key.slice(DELETE_FROM_LIST.length), value);
    else if (value === null) Reflect.deleteProperty(result, key);
    else assign(result, key, mergeValue(schemaOfKey(schema, key), result[key], value));
  }
  for (const [key, order] of Object.entries(patch)) {
    if (key.startsWith(SET_ORDER)) reorder(result, key.slice(SET_ORDER.length), listOf(order), schema);
  }
  return result;
}

function mergeValue(schema: Schema | undefined, target: unknown, value: unknown): unknown {
  if (!Array.isArray(value))
    return isRecord(value) ? strategicPatch(schema, isRecord(target) ? target : {}, value) : value;
  if (!schema?.["x-kubernetes-patch-strategy"]?.includes("merge")) return withoutDirectives(value);
  const mergeKey = schema["x-kubernetes-patch-merge-key"];
  const before = listOf(target);
  return mergeKey === undefined ? unionOf(before, value) : mergeByKey(schema.items, mergeKey, before, value);
}

function mergeByKey(
  schema: Schema | undefined,
  key: string,
  target: readonly unknown[],
  patch: readonly unknown[],
): unknown[] {
  if (patch.some((item) => isRecord(item) && item["$patch"] === "replace" && !(key in item))) {
    return patch.filter((item) => !(isRecord(item) && item["$patch"] === "replace" && !(key in item)));
  }
  const result = [...target];
  for (const item of patch) {
    if (!isRecord(item) || item[key] === undefined)
      throw badRequestError(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    const at = result.findIndex((known) => isRecord(known) && equalJson(known[key], item[key]));
    if (item["$patch"] === "delete") {
      if (at >= 0) result.splice(at, 1);
    } else if (at >= 0) result[at] = strategicPatch(schema, result[at], item);
    else result.push(strategicPatch(schema, {}, item));
  }
  return result;
}

function unionOf(target: readonly unknown[], added: readonly unknown[]): unknown[] {
  return [...target, ...added.filter((value) => !target.some((known) => equalJson(known, value)))];
}

function dropValues(result: Record<string, unknown>, key: string, values: unknown) {
  const dropped = listOf(values);
  result[key] = listOf(result[key]).filter((known) => !dropped.some((value) => equalJson(known, value)));
}

/** Items that the order names come in that order; the others stay where they were among them. */
function reorder(result: Record<string, unknown>, key: string, order: readonly unknown[], schema: Schema | undefined) {
  const list = result[key];
  if (!Array.isArray(list)) return;
  const mergeKey = schemaOfKey(schema, key)?.["x-kubernetes-patch-merge-key"];
  const nameOf = (item: unknown) => JSON.stringify(mergeKey !== undefined && isRecord(item) ? item[mergeKey] : item);
  const places = new Map(order.map((item, i) => [nameOf(item), i]));
  const ordered = list.filter((item) => places.has(nameOf(item)));
  ordered.sort((a, b) => (places.get(nameOf(a)) ?? 0) - (places.get(nameOf(b)) ?? 0));
  result[key] = list.map((item: unknown) => (places.has(nameOf(item)) ? (ordered.shift() as unknown) : item));
}

function retained(target: unknown, keys: unknown): Record<string, unknown> {
  if (!isRecord(target)) return {};
  if (!Array.isArray(keys)) return { ...target };
  return Object.fromEntries(Object.entries(target).filter(([key]) => keys.map(textOf).includes(key)));
}

function assign(result: Record<string, unknown>, key: string, value: unknown) {
  if (value === undefined) Reflect.deleteProperty(result, key);
  else setKey(result, key, value);
}

function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !key.startsWith("$"))
      .map(([key, inner]) => [key, withoutDirectives(inner)]),
  );
}
