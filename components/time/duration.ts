const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** "4 m 12 s": the two largest units, or one for lists. */
export function duration(ms: number, parts = 2): string {
  let rest = Math.max(0, Math.round(ms / 1_000) * 1_000);
  if (rest === 0) return ms > 0 && ms < 1_000 ? `${Math.round(ms)} ms` : "0 s";
  const said: string[] = [];
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) said.push(`${count} ${unit}`);
    if (said.length === parts || (said.length > 0 && count === 0)) break;
  }
  return said.join(" ");
}
