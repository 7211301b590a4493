/** Fields whose inside has no schema: there an empty text is as good as any other, and may mean something. */
const free = new Set([
  "program_info",
  "deployment_config",
  "storage_status_details",
  "storage_config",
  "details",
  "dev_tweaks",
  "config",
]);

/**
 * The same value without its empty texts, which mean the same as absent ones: Kubernetes 1.20 takes an empty text in a
 * field of a custom resource for null, and refuses the object.
 */
export function withoutEmpty<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutEmpty) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== "");
  return Object.fromEntries(entries.map(([key, part]) => [key, free.has(key) ? part : withoutEmpty(part)])) as T;
}
