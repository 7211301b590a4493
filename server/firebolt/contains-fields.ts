import { quantityOf } from "./quantity";
import { isRecord } from "./stable-hash";

/** Whether a live object has every field that was asked for, whatever the API server and others added. */
export function containsFields(live: unknown, asked: unknown): boolean {
  if (Array.isArray(asked)) {
    return (
      Array.isArray(live) && live.length === asked.length && asked.every((one, at) => containsFields(live[at], one))
    );
  }
  if (isRecord(asked)) {
    if (Object.keys(asked).length === 0) return true;
    return (
      isRecord(live) &&
      Object.entries(asked).every(([key, value]) => value === undefined || containsFields(live[key], value))
    );
  }
  return live === asked || sameAmount(live, asked);
}

/** "1000m" is kept as "1". */
function sameAmount(live: unknown, asked: unknown): boolean {
  if (!isAmount(live) || !isAmount(asked)) return false;
  const amount = quantityOf(asked);
  return amount !== null && amount === quantityOf(live);
}

function isAmount(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}
