import type { TransitionAnswer } from "../answers";

/** One transition, or the same round of them several times in a row. Newest first. */
export type Told =
  { rounds: 1; transition: TransitionAnswer } | { rounds: number; all: TransitionAnswer[]; round: number };

const roundMax = 4;
const roundsMin = 3;

/** What goes round in circles for the same causes is told once, with how often: a crash loop is one line, not a thousand. */
export function folded(transitions: readonly TransitionAnswer[]): Told[] {
  const causes = transitions.map(causeOf);
  const told: Told[] = [];
  let index = 0;
  while (index < transitions.length) {
    const { round, rounds } = longest(causes, index);
    const all = transitions.slice(index, index + round * rounds);
    const [transition] = all;
    if (rounds >= roundsMin) told.push({ rounds, all, round });
    else if (transition) told.push({ rounds: 1, transition });
    index += rounds >= roundsMin ? round * rounds : 1;
  }
  return told;
}

function causeOf({ lifecycle, from, to, event, guard, actions, actor, error }: TransitionAnswer): string {
  return JSON.stringify([lifecycle, from, to, event, guard, actions, actor, error]);
}

/** The round that begins here and covers most when it is repeated; the shortest of those. */
function longest(causes: readonly string[], from: number) {
  let best = { round: 1, rounds: 1 };
  for (let round = 1; round <= roundMax; round++) {
    let same = 0;
    while (causes[from + same] !== undefined && causes[from + same] === causes[from + same + round]) same++;
    const rounds = Math.floor(same / round) + 1;
    if (rounds >= roundsMin && round * rounds > best.round * best.rounds) best = { round, rounds };
  }
  return best;
}
