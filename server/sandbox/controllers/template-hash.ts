const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/** A short name for a pod template: the same for equal templates, in the letters that Kubernetes uses for it. */
export function templateHash(template: unknown, collisionCount = 0): string {
  const hash = fnv32a(canonicalTemplate(template) + (collisionCount > 0 ? String(collisionCount) : ""));
  return Array.from(String(hash), (digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join("");
}

/** JSON with sorted keys and without what is undefined: equal text for equal values. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return value === undefined ? "null" : JSON.stringify(value);
  const pairs = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`);
  return `{${pairs.join(",")}}`;
}

/** As `canonical`, but blind to nulls and empties, which one client sends and another leaves out. */
export function canonicalTemplate(value: unknown): string {
  return canonical(withoutEmpty(value) ?? null);
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value))
    return value.length > 0 ? value.map((item: unknown) => withoutEmpty(item) ?? {}) : undefined;
  if (typeof value !== "object" || value === null) return value ?? undefined;
  const pairs = Object.entries(value).flatMap(([key, item]: [string, unknown]) => {
    const kept = withoutEmpty(item);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

/** A random suffix as Kubernetes gives it to generated names. */
export function randomSuffix(length = 5): string {
  return Array.from({ length }, () => ALPHABET[Math.floor(Math.random() * ALPHABET.length)]).join("");
}

function fnv32a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash;
}
