import type { Clock } from "@/server/kubernetes/clock";
import { Refused } from "@/server/resources/refusal";

export type Allowance = { perSecond: number; burst: number };

/** A bucket per caller that fills by the time: throws when it is empty. */
export function createRateLimit(clock: Clock, { perSecond, burst }: Allowance): { spend: (who: string) => void } {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    spend: (who) => {
      const now = clock.monotonic();
      const bucket = buckets.get(who) ?? { left: burst, at: now };
      const left = Math.min(burst, bucket.left + ((now - bucket.at) / 1_000) * perSecond);
      buckets.delete(who);
      if (left < 1) {
        buckets.set(who, { left, at: now });
        throw new Refused(
          "too many requests",
          `Too many requests; one is possible every ${Math.ceil(1_000 / perSecond)} ms.`,
        );
      }
      buckets.set(who, { left: left - 1, at: now });
      forgetFull(buckets, now, burst / perSecond);
    },
  };
}

/** A bucket that has had the time to fill is as good as none; the map is in the order of last use. */
function forgetFull(buckets: Map<string, { at: number }>, now: number, seconds: number): void {
  for (const [who, { at }] of buckets) {
    if (now - at < seconds * 1_000) return;
    buckets.delete(who);
  }
}
