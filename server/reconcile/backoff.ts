/** First and longest wait of a key that failed in a way that may pass (seed 004). */
const TRANSIENT_MS_MIN = 5_000;
const TRANSIENT_MS_MAX = 300_000;
/** A conflict is answered at once; a key that meets nothing else is slowed down like any failure. */
const CONFLICTS_AT_ONCE = 5;

export function transientDelayMs(failures: number): number {
  return Math.min(TRANSIENT_MS_MIN * 2 ** (failures - 1), TRANSIENT_MS_MAX);
}

export function conflictDelayMs(failures: number): number {
  return failures <= CONFLICTS_AT_ONCE ? 0 : transientDelayMs(failures - CONFLICTS_AT_ONCE);
}
