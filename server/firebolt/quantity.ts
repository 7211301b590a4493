const factors: Record<string, [multiply: number, divide: number]> = {
  n: [1, 1e9],
  u: [1, 1e6],
  m: [1, 1e3],
  "": [1, 1],
  k: [1e3, 1],
  M: [1e6, 1],
  G: [1e9, 1],
  T: [1e12, 1],
  P: [1e15, 1],
  E: [1e18, 1],
  Ki: [2 ** 10, 1],
  Mi: [2 ** 20, 1],
  Gi: [2 ** 30, 1],
  Ti: [2 ** 40, 1],
  Pi: [2 ** 50, 1],
  Ei: [2 ** 60, 1],
};

/** A Kubernetes quantity as a number ("500m" is 0.5, "1Gi" is 1073741824), or null when it is none. */
export function quantityOf(text: string | number): number | null {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(String(text).trim());
  if (!match) return null;
  if (match[2] !== undefined) return Number(`${match[1] ?? ""}e${match[2]}`);
  const factor = factors[match[3] ?? ""];
  // Divided, not multiplied by a fraction: 300m must be exactly what 0.3 is.
  return factor ? (Number(match[1]) * factor[0]) / factor[1] : null;
}
