import type { AnyStateMachine } from "xstate";
import { explain, type WayOut } from "./explain";
import type { Known } from "./facts";
import { decisive, sentencesOf, type GuardTree } from "./guard-tree";
import { metaOf, observed, stateMetaOf, type Tone } from "./lifecycle";

/** What a person would say of a resource: what it is doing, what it waits for, and what comes then. */
export type Sentence = {
  what: string;
  why: string | null;
  /** The same without what was seen. */
  whyInShort: string | null;
  next: string | null;
  /** What it waits for is in trouble, by a warning of the cluster's own. */
  troubled: boolean;
};

export function sentenceOf(machine: AnyStateMachine, state: string, known: Known): Sentence {
  const what = stateMetaOf(machine, state).summary;
  const ways = explain(machine, state, known).filter(({ edge }) => edge.event === observed.type);
  const taken = ways.find((way) => way.taken);
  if (taken && !taken.edge.self) {
    return { what, ...whyOf(taken.tree), next: `next is ${taken.edge.to}`, troubled: false };
  }
  const awaited = metaOf(machine).settled.includes(state) ? undefined : awaitedOf(machine, ways);
  // Tried before what is awaited, so it is what stands in the way.
  if (taken?.tree && taken.edge.actions.length && !(awaited && ways.indexOf(awaited) < ways.indexOf(taken))) {
    const deeds = taken.edge.actions.map((action) => metaOf(machine).actions[action] ?? action);
    return { what, ...whyOf(taken.tree), next: `so it will ${deeds.join(" and ")}`, troubled: isTroubled(taken.tree) };
  }
  if (!awaited?.tree) return { what, ...whyOf(null), next: null, troubled: false };
  return { what, ...whyOf(awaited.tree), next: `then ${awaited.edge.to}`, troubled: isTroubled(awaited.tree) };
}

function isTroubled(tree: GuardTree): boolean {
  return decisive(tree).some(({ evidence }) => evidence.some(({ warning }) => warning));
}

/** The sentence in one line, for lists and logs. */
export function sentenceText({ what, why, next }: Pick<Sentence, "what" | "why" | "next">): string {
  const rest = [why, next].filter(Boolean).join("; ");
  return rest ? `${what}: ${rest}` : what;
}

// What a resource waits for is the best way on; failing is a way out too, but nobody waits for it.
const hopes: Record<Tone, number> = { good: 0, busy: 1, idle: 2, warn: 3, bad: 4 };

function awaitedOf(machine: AnyStateMachine, ways: WayOut[]): WayOut | undefined {
  const hopeOf = ({ edge }: WayOut) => hopes[stateMetaOf(machine, edge.to).tone];
  return ways.filter(({ edge, open }) => !edge.self && !open).sort((a, b) => hopeOf(a) - hopeOf(b))[0];
}

function whyOf(tree: GuardTree | null): Pick<Sentence, "why" | "whyInShort"> {
  if (!tree) return { why: null, whyInShort: null };
  const seen = decisive(tree).flatMap(({ evidence }) => evidence.map(({ sentence }) => sentence));
  const said = sentencesOf(tree).join(" and ");
  return { why: seen.length ? `${said} (${[...new Set(seen)].join("; ")})` : said, whyInShort: said };
}
