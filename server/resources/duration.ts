/** A time span as people say it: "4 min 12 s", "3 d 4 h". */
export function spokenDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const parts = units.map(([unit, size], at) => {
    const above = at === 0 ? Infinity : (units[at - 1]?.[1] ?? Infinity);
    return { unit, count: Math.floor((above === Infinity ? seconds : seconds % above) / size) };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first < 0) return "0 s";
  return parts
    .slice(first, first + 2)
    .filter(({ count }) => count > 0)
    .map(({ unit, count }) => `${count} ${unit}`)
    .join(" ");
}

const units = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;
