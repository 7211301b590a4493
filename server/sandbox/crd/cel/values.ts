import { type CelType } from "@/server/sandbox/crd/cel/cel-type";
import { stableJson } from "@/server/sandbox/crd/stable-json";

export function celEquals(a: unknown, b: unknown): boolean {
  return a === b || stableJson(a) === stableJson(b);
}

/** The order of two values of one kind; anything else has no such overload. */
export function compare(a: unknown, b: unknown): number {
  const comparable = typeof a === typeof b && ["number", "string", "boolean"].includes(typeof a);
  if (!comparable) throw new Error("no such overload");
  // Both sides are of the same primitive type, for all of which < is an order.
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}

export function plus(a: unknown, b: unknown): unknown {
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (Array.isArray(a) && Array.isArray(b)) return [...(a as unknown[]), ...(b as unknown[])];
  throw new Error("no such overload");
}

export function isIn(wanted: unknown, container: unknown): boolean {
  if (Array.isArray(container)) return container.some((item) => celEquals(item, wanted));
  if (typeof container === "object" && container !== null && typeof wanted === "string")
    return Object.hasOwn(container, wanted);
  throw new Error("no such overload");
}

export function typeNameAtRun(value: unknown): string {
  if (value === null || value === undefined) return "null_type";
  if (Array.isArray(value)) return "list";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "double";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "map";
}

const unitMs: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `1h30m`. */
export function durationOf(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g)];
  if (parts.length === 0 && text !== "0") throw new Error(`time: invalid duration "${text}"`);
  const sum = parts.reduce((total, [, count, unit]) => total + Number(count) * (unitMs[String(unit)] ?? 0), 0);
  return text.startsWith("-") ? -sum : sum;
}

export function timestampOf(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new Error(`invalid timestamp "${text}"`);
  return at;
}

/** JSON holds times and durations as text; rules calculate with them. */
export function adapt(type: CelType, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (type.name === "timestamp") return timestampOf(value);
  return type.name === "duration" ? durationOf(value) : value;
}
