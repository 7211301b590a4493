import type { AnyStateMachine } from "xstate";
import { edgesOf } from "./edges";
import type { Known } from "./facts";
import { guardTree, sentencesOf } from "./guard-tree";
import { metaOf, stateMetaOf, type CommandArg } from "./lifecycle";

export type CommandOffer = {
  command: string;
  title: string;
  summary: string;
  allowed: boolean;
  /** Why not, in words; null where it is allowed. */
  reason: string | null;
  /** Where the machine goes at once; most commands change what is wanted, and the next look at the world moves the state. */
  to: string | null;
  destroys: boolean;
  args: Record<string, CommandArg>;
};

/** Every command of the machine, whether this state and these facts allow it, and if not, why. */
export function commandsAllowed(machine: AnyStateMachine, state: string, known: Known): CommandOffer[] {
  return Object.entries(metaOf(machine).commands).map(([command, { title, summary, destroys, args }]) => ({
    command,
    title,
    summary,
    destroys: destroys ?? false,
    args: args ?? {},
    ...verdict(machine, { state, command, title }, known),
  }));
}

type Asked = { state: string; command: string; title: string };

function verdict(machine: AnyStateMachine, { state, command, title }: Asked, known: Known) {
  const edges = edgesOf(machine).filter((edge) => edge.from === state && edge.event === command);
  const tried = edges.map((edge) => ({ edge, tree: edge.guard && guardTree(machine, edge.guard, known) }));
  const open = tried.find(({ tree }) => tree?.value ?? true);
  if (open) return { allowed: true, reason: null, to: open.edge.to };
  const reason = edges.length
    ? [...new Set(tried.flatMap(({ tree }) => (tree ? sentencesOf(tree) : [])))].join("; ")
    : `not while ${state}: ${lowered(stateMetaOf(machine, state).summary)}, and ${title} has no way from there`;
  return { allowed: false, reason, to: null };
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
