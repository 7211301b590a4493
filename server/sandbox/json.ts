/** Plain JSON values: compared, copied and told apart in one place. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What a table holds under a key that came from outside: never what every object inherits. */
export function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** A copy that lacks some keys. */
export function without<T extends object, K extends keyof T>(object: T, ...keys: readonly K[]): Omit<T, K> {
  // Copied key by key: an object that lost a key is slow to read from then on.
  const copy: Record<string, unknown> = {};
  const gone: readonly PropertyKey[] = keys;
  for (const [key, value] of Object.entries(object)) if (!gone.includes(key)) setKey(copy, key, value);
  return copy as Omit<T, K>; // The other keys with their values.
}

export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((value, i) => equalJson(value, b[i]));
  }
  const [left, right] = [recordOf(a), recordOf(b)];
  const keys = Object.keys(left);
  for (const key of keys) {
    const value = left[key];
    if (value !== undefined && !(Object.hasOwn(right, key) && equalJson(value, right[key]))) return false;
  }
  return definedKeys(left, keys) === definedKeys(right, Object.keys(right));
}

function definedKeys(record: Record<string, unknown>, keys: readonly string[]): number {
  let count = 0;
  for (const key of keys) if (record[key] !== undefined) count += 1;
  return count;
}

/** A deep copy. Faster than structuredClone, and right for what JSON can hold. */
export function cloneJson<T>(value: T): T {
  // The copy has the shape of its source; the compiler cannot see that through the recursion.
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== "object" || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (inner !== undefined) setKey(result, key, copy(inner));
  }
  return result;
}

/** A copy to change, of a value that shares parts with what is stored: those are frozen, and stay shared. */
export function cloneUnfrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return value.map(cloneUnfrozen) as T; // A list of the same items.
  const result: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) if (inner !== undefined) setKey(result, key, cloneUnfrozen(inner));
  return result as T; // The same keys with the same kinds of values.
}

/** Sets any key, `__proto__` included, as plain data. */
export function setKey(target: Record<string, unknown>, key: string, value: unknown) {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
