import { arrowsOf, type Arrow, type Diagram } from "@/machines/diagram";
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
export type DrawnArrow = Arrow & { look: WireLook };
export type DrawnMachine = { states: DrawnState[]; arrows: DrawnArrow[]; isDense: boolean };

/** What is known of one resource: where it is, how it came, and which ways are open. */
export type Here = {
  state: string;
  cameBy: string | null;
  open: ReadonlySet<string>;
  taken: string | null;
};

export type Population = ReadonlyMap<string, { count: number }>;

/** More arrows than this cannot all be read at once: only those of the state in question are labelled. */
const denseFrom = 22;

export function drawMachine(diagram: Diagram, subs: ReadonlyMap<string, string>, at: Here | Population): DrawnMachine {
  const arrows = arrowsOf(diagram);
  const here = "state" in at ? at : null;
  const drawn = arrows.map((arrow) => ({ ...arrow, look: here ? lookOf(arrow, here) : ("plain" as const) }));
  const cameFrom = here?.cameBy ? diagram.edges.find(({ id }) => id === here.cameBy)?.from : undefined;
  return {
    isDense: arrows.length > denseFrom,
    arrows: drawn,
    states: diagram.nodes.map(({ id, tone, summary }) => {
      const count = "state" in at ? null : (at.get(id)?.count ?? 0);
      const isNext = drawn.some((arrow) => arrow.look === "will" && arrow.to === id);
      const look =
        id === here?.state ? "now" : id === cameFrom ? "left" : isNext ? "next" : count ? "populated" : "plain";
      const loops = diagram.edges.filter((edge) => edge.self && edge.from === id).map(({ label }) => label);
      return { id, tone, summary, look, sub: subs.get(id) ?? "", count, loops };
    }),
  };
}

function lookOf(arrow: Arrow, { state, cameBy, open, taken }: Here): WireLook {
  const has = (id: string | null) => arrow.edges.some((edge) => edge.id === id);
  if (has(taken)) return "will";
  if (has(cameBy)) return "taken";
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
