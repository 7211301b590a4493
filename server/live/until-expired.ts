import type { Asked } from "@/server/resources/context";

/** Aborted with the connection, or when the caller's session ends: a stream must not outlive the right to it. */
export function untilExpired({ identity, clock }: Pick<Asked, "identity" | "clock">, outer: AbortSignal): AbortSignal {
  if (identity.expiresAt === null) return outer;
  const expired = new AbortController();
  const timer = clock.setTimeout(() => expired.abort(), Math.max(0, identity.expiresAt - clock.now()));
  outer.addEventListener("abort", () => timer.cancel(), { once: true });
  return AbortSignal.any([outer, expired.signal]);
}
