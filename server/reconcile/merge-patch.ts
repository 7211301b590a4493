/** The JSON merge patch that turns `before` into `after`; null when they are equal. Arrays are replaced as a whole. */
export function mergePatchOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> | null {
  let patch: Record<string, unknown> | null = null;
  for (const key of Object.keys(after)) {
    const wanted = after[key];
    const present = before[key];
    if (isAbsent(wanted) || sameValue(present, wanted)) continue;
    (patch ??= {})[key] = isRecord(present) && isRecord(wanted) ? mergePatchOf(present, wanted) : wanted;
  }
  for (const key of Object.keys(before)) {
    if (isAbsent(after[key]) && !isAbsent(before[key])) (patch ??= {})[key] = null;
  }
  return patch;
}

/** Whether two values are the same JSON: the order of keys does not count, and undefined is absent. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const key of Object.keys(a)) if (!sameValue(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (b[key] !== undefined && a[key] === undefined) return false;
  return true;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The API server keeps no null in a status, so null and absent are the same. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
