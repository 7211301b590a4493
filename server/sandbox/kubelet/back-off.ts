/** The first wait of the kubelet, for an image, for a configuration, for a container that ended. */
export const BACK_OFF_FIRST_MS = 10_000;
const BACK_OFF_MOST_MS = 300_000;

/** The wait after this one. */
export function nextBackOffMs(ms: number): number {
  return ms === 0 ? BACK_OFF_FIRST_MS : Math.min(ms * 2, BACK_OFF_MOST_MS);
}

/** As Go writes a duration: `40s`, `2m40s`. */
export function backOffText(ms: number): string {
  return ms < 60_000 ? `${ms / 1_000}s` : `${Math.floor(ms / 60_000)}m${(ms % 60_000) / 1_000}s`;
}
