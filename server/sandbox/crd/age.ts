/** How long ago, as kubectl and the server's tables write it: 45s, 3m20s, 5h, 12d, 2y30d. */
export function ageOf(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  const row = steps.find(([limit]) => seconds < limit);
  return row ? row[1](seconds) : `${Math.floor(seconds / year)}y`;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** The larger unit, and what is left of the smaller one unless it is none. */
function pair(seconds: number, large: number, small: number, units: readonly [string, string]): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${units[0]}${rest === 0 ? "" : `${rest}${units[1]}`}`;
}

const steps: readonly (readonly [number, (seconds: number) => string])[] = [
  [2 * minute, (seconds) => `${seconds}s`],
  [10 * minute, (seconds) => pair(seconds, minute, 1, ["m", "s"])],
  [3 * hour, (seconds) => `${Math.floor(seconds / minute)}m`],
  [8 * hour, (seconds) => pair(seconds, hour, minute, ["h", "m"])],
  [2 * day, (seconds) => `${Math.floor(seconds / hour)}h`],
  [8 * day, (seconds) => pair(seconds, day, hour, ["d", "h"])],
  [2 * year, (seconds) => `${Math.floor(seconds / day)}d`],
  [8 * year, (seconds) => pair(seconds, year, day, ["y", "d"])],
];
