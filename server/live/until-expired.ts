import type { Asked } from "@/server/resources/context";

/** How soon a token that was taken back ends a stream that it opened. */
const CHECK_MS = 15_000;

/** Aborted with the connection, or when the caller's session ends: a stream must not outlive the right to it. */
export function untilExpired(
  { identity, clock, stillKnown }: Pick<Asked, "identity" | "clock" | "stillKnown">,
  outer: AbortSignal,
): { signal: AbortSignal; end: () => void } {
  const expired = new AbortController();
  const expiry =
    identity.expiresAt === null
      ? null
      : clock.setTimeout(() => expired.abort(), Math.max(0, identity.expiresAt - clock.now()));
  let isOver = false;
  const check = async () => {
    if (!(await stillKnown?.())) expired.abort();
    else if (!isOver) next = clock.setTimeout(() => void check(), CHECK_MS);
  };
  let next = stillKnown ? clock.setTimeout(() => void check(), CHECK_MS) : null;
  const end = () => {
    isOver = true;
    expiry?.cancel();
    next?.cancel();
  };
  outer.addEventListener("abort", end, { once: true });
  return { signal: AbortSignal.any([outer, expired.signal]), end };
}
