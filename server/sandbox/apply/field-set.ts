import { without } from "@/server/sandbox/json";

/**
 * A set of field paths in the notation of managedFields (FieldsV1): `{ "f:spec": { "f:replicas": {} } }`.
 * A node without children is in the set; one with children only if it holds `.`. Null is the empty set.
 */
export type FieldSet = { readonly [element: string]: FieldSet };
export type Fields = FieldSet | null;

export function unite(a: Fields, b: Fields): Fields {
  if (a === null || a === b) return b;
  if (b === null) return a;
  const children: Record<string, FieldSet> = { ...childrenOf(a) };
  for (const [element, inner] of Object.entries(childrenOf(b)))
    put(children, element, unite(children[element] ?? null, inner));
  return nodeOf(isMember(a) || isMember(b), children);
}

/** Whether all of `b` is in `a` too. */
export function covers(a: FieldSet, b: Fields): boolean {
  if (b === null) return true;
  if (isMember(b) && !isMember(a)) return false;
  for (const [element, inner] of Object.entries(childrenOf(b))) {
    const known = a[element];
    if (known === undefined || !covers(known, inner)) return false;
  }
  return true;
}

export function subtract(a: Fields, b: Fields): Fields {
  if (a === null || b === null) return a;
  const children: Record<string, FieldSet> = {};
  for (const [element, inner] of Object.entries(childrenOf(a)))
    put(children, element, subtract(inner, b[element] ?? null));
  return nodeOf(isMember(a) && !isMember(b), children);
}

export function intersect(a: Fields, b: Fields): Fields {
  if (a === null || b === null) return null;
  const children: Record<string, FieldSet> = {};
  for (const [element, inner] of Object.entries(childrenOf(a)))
    put(children, element, intersect(inner, b[element] ?? null));
  return nodeOf(isMember(a) && isMember(b), children);
}

export function isMember(set: FieldSet): boolean {
  return "." in set || Object.keys(set).length === 0;
}

/** A node that is, or is not, itself in the set, with what is below it; null when nothing is. */
export function nodeOf(member: boolean, children: Readonly<Record<string, FieldSet>>): Fields {
  if (Object.keys(children).length === 0) return member ? {} : null;
  return member ? { ".": {}, ...children } : children;
}

/** The path of each member, from the root: `["f:spec", "f:replicas"]`. */
export function* pathsIn(set: Fields, above: readonly string[] = []): Generator<readonly string[]> {
  if (set === null) return;
  if (above.length > 0 && isMember(set)) yield above;
  for (const [element, inner] of Object.entries(childrenOf(set))) yield* pathsIn(inner, [...above, element]);
}

/** `.spec.containers[name="web"].image`: how conflicts name a field. */
export function shownPath(path: readonly string[]): string {
  return path.map(shownElement).join("");
}

function shownElement(element: string): string {
  const value = element.slice(2);
  if (element.startsWith("f:")) return `.${value}`;
  if (element.startsWith("v:")) return `[=${value}]`;
  // Written by us or by a client that follows the same notation.
  const keys = JSON.parse(value) as Record<string, unknown>;
  return `[${Object.entries(keys)
    .map(([key, inner]) => `${key}=${JSON.stringify(inner)}`)
    .join(",")}]`;
}

function childrenOf(set: FieldSet): Readonly<Record<string, FieldSet>> {
  if (!("." in set)) return set;
  return without(set, ".");
}

function put(children: Record<string, FieldSet>, element: string, inner: Fields) {
  if (inner === null) Reflect.deleteProperty(children, element);
  else children[element] = inner;
}
