type Dwell = { p50Ms: number; p95Ms: number };

/** How a stay compares with what is usual: from 1 on it is longer than 95 of 100. null: it may stay as long as it likes. */
export function overExpectation(stayMs: number, dwell: Dwell | null | undefined, settled: boolean): number | null {
  if (settled) return null;
  return stayMs / Math.max(dwell?.p95Ms ?? unknownMs, shortestMs);
}

/** A second more or less is no news, however quick the others were. */
const shortestMs = 5_000;
/** While too few stays are known to tell what is usual. */
const unknownMs = 120_000;
