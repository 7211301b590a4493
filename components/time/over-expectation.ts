type Dwell = { p50Ms: number; p95Ms: number };

/** How a stay compares with what is usual: from 1 on it is longer than 95 of 100. null: nothing is known, or nothing is expected. */
export function overExpectation(stayMs: number, dwell: Dwell | null | undefined, settled: boolean): number | null {
  if (!dwell || settled || dwell.p95Ms <= 0) return null;
  return stayMs / Math.max(dwell.p95Ms, shortestMs);
}

/** A second more or less is no news, however quick the others were. */
const shortestMs = 5_000;
