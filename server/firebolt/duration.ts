const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A duration as Go writes it ("1m30s") in milliseconds, or null when it is none. */
export function durationMs(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return null;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g);
  return [...parts].reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ""] ?? 0), 0);
}
