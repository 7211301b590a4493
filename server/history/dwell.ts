/** Buckets of stays grow by the square root of two from 100 ms, so a quantile is at most 19 % off. */
const FIRST_MS = 100;
const BUCKETS = 64;

export function bucketOf(ms: number): number {
  if (ms <= FIRST_MS) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(2 * Math.log2(ms / FIRST_MS)));
}

/** The stay below which this part of all stays is, from counts in ascending buckets: the middle of its bucket. */
export function quantileMs(buckets: readonly { bucket: number; count: number }[], part: number): number {
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  let below = 0;
  for (const { bucket, count } of buckets) {
    below += count;
    if (below >= total * part) return Math.round(FIRST_MS * 2 ** ((bucket - 0.5) / 2));
  }
  return 0;
}
