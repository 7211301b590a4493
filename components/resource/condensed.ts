import type { TransitionAnswer } from "../answers";

/**
 * One pass tells of every lifecycle; what only stayed is not worth a line beside what moved, and a composed lifecycle
 * that moved with its parts says the same once more.
 */
export function condensed(transitions: readonly TransitionAnswer[]): TransitionAnswer[] {
  const passes = new Map<string, TransitionAnswer[]>();
  for (const transition of transitions) {
    const pass = passes.get(transition.at);
    if (pass) pass.push(transition);
    else passes.set(transition.at, [transition]);
  }
  return [...passes.values()].flatMap((pass) => {
    const moves = pass.filter(({ from, to }) => from !== to);
    const told = moves.filter(
      (move) =>
        !moves.some((other) => other !== move && isSameMove(move, other) && other.edge !== null && move.edge === null),
    );
    if (told.length > 0) return told;
    const deeds = pass.filter(({ actions, error }) => actions.length > 0 || error !== null);
    // What was seen to and was in order already is not told beside what was written.
    if (deeds.some(({ writes }) => writes.length > 0))
      return deeds.filter(({ writes, error }) => writes.length > 0 || error !== null);
    return deeds.length > 0 ? deeds : pass.slice(0, 1);
  });
}

function isSameMove(a: TransitionAnswer, b: TransitionAnswer): boolean {
  return a.from === b.from && a.to === b.to;
}
