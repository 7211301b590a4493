import type { TransitionAnswer } from "../answers";

/** A stay in a state; `weight` is its share of the strip, `id` the transition that began it. */
export type Stretch = { id: string | null; state: string; from: string; ms: number; weight: number };

const stretchesMax = 60;

/** The stays of a lifecycle, oldest first. What it was in before the first known move is a stretch without a length. */
export function stretchesOf(
  transitions: readonly TransitionAnswer[],
  { state, since }: { state: string; since: string | null },
  now: number,
): Stretch[] {
  const moves = transitions
    .filter(({ from, to }) => from !== to)
    .slice(0, stretchesMax)
    .toReversed();
  const begun = moves.map(({ id, to, at }) => ({ id, state: to, from: at }));
  const all = begun.length > 0 || since === null ? begun : [{ id: null, state, from: since }];
  return all.map((stretch, index) => {
    const next = all[index + 1];
    const until = next ? Date.parse(next.from) : now || Date.parse(stretch.from);
    const ms = Math.max(0, until - Date.parse(stretch.from));
    // By the square root: a minute stays to be seen beside a week.
    return { ...stretch, ms, weight: Math.max(1, Math.round(Math.sqrt(ms))) };
  });
}

/** The stretch at a part of the strip's width. */
export function stretchAt(stretches: readonly Stretch[], part: number): number {
  const total = stretches.reduce((sum, { weight }) => sum + weight, 0);
  let before = 0;
  const found = stretches.findIndex(({ weight }) => (before += weight) >= part * total);
  return found < 0 ? stretches.length - 1 : found;
}
