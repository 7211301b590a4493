/**
 * The same value without its empty texts, which mean the same as absent ones: Kubernetes 1.20 takes an empty text in a
 * custom resource for null, and refuses the object.
 */
export function withoutEmpty<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutEmpty) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== "");
  return Object.fromEntries(entries.map(([key, part]) => [key, withoutEmpty(part)])) as T;
}
