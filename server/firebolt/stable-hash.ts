import { createHash } from "node:crypto";

/** A short hash of JSON content; the order of keys does not count, and an absent key equals an undefined one. */
export function stableHash(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 16);
}

export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .filter((key) => value[key] !== undefined);
  return `{${fields.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(",")}}`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
