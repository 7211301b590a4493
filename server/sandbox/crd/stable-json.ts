/** JSON with sorted keys: equal values give equal text. */
export function stableJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return value === undefined ? "null" : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(stableJson).join(",")}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${stableJson(item)}`).join(",")}}`;
}
