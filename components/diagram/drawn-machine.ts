import { arrowsOf, boxHolding, denseFrom, entriesOf, type Arrow, type Diagram, type Entry } from "@/machines/arrows";
import type { Tone } from "@/machines/lifecycle";
import type { Layout } from "@/server/layout/layout-machine";

/** How an arrow looks: taken to come here, taken next, open, shut, or one that has nothing to do with now. */
export type WireLook = "taken" | "will" | "may" | "shut" | "plain";
export type StateLook = "now" | "left" | "next" | "populated" | "plain";

export type DrawnState = {
  id: string;
  tone: Tone;
  summary: string;
  look: StateLook;
  sub: string;
  count: number | null;
  loops: string[];
};
/** `why` is the condition that keeps it shut. */
export type DrawnArrow = Arrow & { look: WireLook; why: string | null };
export type DrawnMachine = { states: DrawnState[]; arrows: DrawnArrow[]; entries: Entry[]; isDense: boolean };

/** What is known of one resource: where it is, how it came, which ways are open, and why the others are not. */
export type Here = {
  state: string;
  cameBy: string | null;
  cameFrom: string | null;
  open: ReadonlySet<string>;
  taken: string | null;
  why: ReadonlyMap<string, string>;
  /** Where it differs from that of the state. */
  tone?: Tone;
};

/** How many are in each state; `tone` where it differs from that of the state. */
export type Population = ReadonlyMap<string, { count: number; tone?: Tone }>;

export function drawMachine(diagram: Diagram, subs: ReadonlyMap<string, string>, at: Here | Population): DrawnMachine {
  const arrows = arrowsOf(diagram);
  const here = "state" in at ? at : null;
  const drawn = arrows.map((arrow) => ({
    ...arrow,
    look: here ? lookOf(arrow, here) : ("plain" as const),
    why: arrow.edges.map(({ id }) => here?.why.get(id)).find((why) => why !== undefined) ?? null,
  }));
  return {
    isDense: arrows.filter(({ own }) => own.length > 0).length > denseFrom,
    entries: entriesOf(diagram),
    arrows: drawn,
    states: diagram.nodes.map(({ id, tone, summary }) => {
      const held = "state" in at ? null : at.get(id);
      const count = held === null ? null : (held?.count ?? 0);
      const isNext = drawn.some((arrow) => arrow.look === "will" && arrow.to === id);
      const look =
        id === here?.state ? "now" : id === here?.cameFrom ? "left" : isNext ? "next" : count ? "populated" : "plain";
      const loops = diagram.edges.filter((edge) => edge.self && edge.from === id).map(({ label }) => label);
      const shown = (look === "now" ? here?.tone : held?.tone) ?? tone;
      return { id, tone: shown, summary, look, sub: subs.get(id) ?? "", count, loops };
    }),
  };
}

/** What is known, where every box is shut: who is inside is at the box, which tells where inside. */
export function foldedAt(diagram: Diagram, subs: ReadonlyMap<string, string>, at: Here | Population) {
  const boxOf = (state: string) => boxHolding(diagram, state) ?? state;
  if (!("state" in at)) return { subs, at: new Map([...at, ...heldByBoxes(diagram, at)]) };
  const box = boxHolding(diagram, at.state);
  const inside = box ? [[box, [at.state, subs.get(at.state)].filter(Boolean).join(" · ")] as const] : [];
  const cameFrom = at.cameFrom === null || boxOf(at.cameFrom) === boxOf(at.state) ? null : boxOf(at.cameFrom);
  // The box looks like what goes on inside.
  const tone = diagram.nodes.find(({ id }) => id === at.state)?.tone;
  return {
    subs: new Map([...subs, ...inside]),
    at: { ...at, state: boxOf(at.state), cameFrom, ...(box && tone && { tone }) },
  };
}

/** A box holds all that are inside, and looks like the state where most of them are. */
function heldByBoxes(diagram: Diagram, at: Population) {
  return Object.entries(diagram.boxes).map(([box, states]) => {
    const inside = diagram.nodes
      .filter(({ id }) => states.includes(id))
      .map(({ id, tone }) => ({ tone, count: at.get(id)?.count ?? 0 }))
      .toSorted((a, b) => b.count - a.count);
    const count = inside.reduce((sum, one) => sum + one.count, 0);
    return [box, { count, tone: inside[0]?.tone ?? "idle" }] as const;
  });
}

function lookOf(arrow: Arrow, { state, cameBy, cameFrom, open, taken }: Here): WireLook {
  const has = (id: string | null) => arrow.edges.some((edge) => edge.id === id);
  if (has(taken)) return "will";
  if (has(cameBy) || (arrow.from === cameFrom && arrow.to === state)) return "taken";
  if (arrow.from !== state) return "shut";
  return arrow.edges.some(({ id }) => open.has(id)) ? "may" : "shut";
}

/** The state that an arrow key leads to from a state. */
export function neighbourOf(layout: Layout, arrows: readonly Arrow[], from: string, key: string): string | undefined {
  const ahead = key === "ArrowRight" || key === "ArrowDown";
  const linked = arrows
    .filter((arrow) => (ahead ? arrow.from : arrow.to) === from)
    .map((arrow) => (ahead ? arrow.to : arrow.from));
  const at = layout.nodes.find(({ id }) => id === from);
  const places = layout.nodes.filter(({ id }) => linked.includes(id));
  const isAlong = key === "ArrowDown" || key === "ArrowUp" ? "y" : "x";
  const sign = ahead ? 1 : -1;
  const inDirection = places.filter((place) => at && (place[isAlong] - at[isAlong]) * sign > 0);
  return (inDirection[0] ?? places[0])?.id;
}

/** The end of an arrow that an arrow key leads to: on to where it goes, or back to where it comes from. */
export function endOf(arrow: Arrow, key: string): string {
  return key === "ArrowRight" || key === "ArrowDown" ? arrow.to : arrow.from;
}

/** Everything that an arrow stands for, in one line: where it leads, on what, and whether it is open. */
export function tellArrow({ from, to, edges, look, why }: DrawnArrow): string {
  const words: Record<WireLook, string> = {
    taken: "the way it came",
    will: "next",
    may: "open",
    shut: "shut",
    plain: "",
  };
  const labels = [...new Set(edges.map(({ label }) => label))].join("; ");
  const said = [words[look], look === "shut" ? why : null].filter(Boolean).join(": ");
  return [`${from} → ${to}`, labels, said].filter(Boolean).join(" · ");
}

/** The ways that many states share, in one line. */
export function tellEntry({ from, to, labels }: Entry): string {
  return [`${from.join(", ")} → ${to}`, labels.join("; ")].join(" · ");
}
