import { type KubernetesObject } from "@/server/kubernetes/object";

/** Enough for the words that the objects of a fleet share; a full pool is emptied, so that unique strings never pile up. */
const POOL_MAX = 8_192;
/** A longer string is seldom repeated, and hashing it costs more than it saves. */
const POOLED_CHARS_MAX = 96;
/** Unique in every object. */
const unique = new Set(["uid", "resourceVersion", "creationTimestamp"]);

/**
 * Makes parsed objects small before they are cached: `managedFields` go, and equal strings become one string.
 * Measured on 10,000 engines: 0.66 of the bytes on the wire, 1.66 as parsed.
 */
export function createSlimmer() {
  const pool = new Map<string, string>();

  const pooled = (text: string): string => {
    if (text.length > POOLED_CHARS_MAX) return text;
    const known = pool.get(text);
    if (known !== undefined) return known;
    if (pool.size >= POOL_MAX) pool.clear();
    pool.set(text, text);
    return text;
  };

  const poolIn = (node: Record<string, unknown>): void => {
    for (const field in node) {
      const value = node[field];
      if (typeof value === "string") {
        if (!unique.has(field)) node[field] = pooled(value);
      } else if (typeof value === "object" && value !== null) {
        poolIn(value as Record<string, unknown>); // an array is walked by its indexes
      }
    }
  };

  return (object: KubernetesObject): KubernetesObject => {
    // A copy instead of `delete`, which would turn the metadata into a slow and larger hash table.
    const { managedFields, ...metadata } = object.metadata;
    if (managedFields) object.metadata = metadata;
    poolIn(object);
    return object;
  };
}
