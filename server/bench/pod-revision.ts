import { type KubernetesObject } from "@/server/kubernetes/object";

const LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * The revision that the StatefulSet controller will give to the pods of a set: FNV-1 over the template as Go writes it,
 * and over how many hashes collided before. A pod without it is deleted and made anew by the controller, which may do
 * only so much per second: a bench that plays pods would measure that.
 */
export function podRevision({ metadata, spec }: KubernetesObject): string {
  const template = { ...(spec?.template as object), $patch: "replace" };
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(`${asGoWrites({ spec: { template } })}0`)) hash = Math.imul(hash, FNV_PRIME) ^ byte;
  const letters = Array.from(String(hash >>> 0), (digit) => LETTERS[digit.charCodeAt(0) % LETTERS.length]);
  return `${metadata.name}-${letters.join("")}`;
}

/** Keys in order, and what HTML would take for its own as escapes. */
function asGoWrites(value: object): string {
  return JSON.stringify(value, (_, inner: unknown) => inOrder(inner)).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
