/** The value below which this share of the samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}

export function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}
