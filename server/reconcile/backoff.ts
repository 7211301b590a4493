/**
 * First and longest wait of a key that failed in a way that may pass. client-go goes from 5 ms to 1000 s: here a conflict
 * is no failure, so nothing is won by a quick second try, and what was mended is seen within five minutes (seed 004).
 * There is no limit over all keys: as in controller-runtime's priority queue, the server's own 429 is the one that counts.
 */
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
