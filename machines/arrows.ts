import type { StateMeta } from "./lifecycle";

// Apart from `diagramOf`, which needs the machine itself: what draws a diagram in a browser needs only this.

export type DiagramNode = StateMeta & { id: string; initial: boolean; settled: boolean };

/** `label` is what stands on the arrow: event [guard] / action. Looking at the world is the event that is not named. */
export type DiagramEdge = {
  id: string;
  from: string;
  to: string;
  label: string;
  command: string | null;
  self: boolean;
};

export type Diagram = { nodes: DiagramNode[]; edges: DiagramEdge[]; boxes: Record<string, readonly string[]> };

/**
 * What is drawn between two states: one arrow, however many transitions it stands for. `own` are those that only few
 * states have; where there are none, the state that it leads to tells of the arrow, and it is drawn only when it matters.
 */
export type Arrow = { id: string; from: string; to: string; edges: DiagramEdge[]; own: DiagramEdge[] };

/** The ways that many states have in common, told once, at the state to which they all lead. */
export type Entry = { id: string; to: string; from: string[]; labels: string[] };

/** As many as this with the same way to the same state are not drawn one by one: they would cover all the others. */
const commonFrom = 4;

/** The arrows of a diagram. A transition that stays where it is has none; the state itself tells of it. */
export function arrowsOf(diagram: Diagram): Arrow[] {
  const common = commonWays(diagram);
  const arrows = new Map<string, Arrow>();
  for (const edge of diagram.edges.filter(({ self }) => !self)) {
    const id = `${edge.from}>${edge.to}`;
    const arrow = arrows.get(id) ?? { id, from: edge.from, to: edge.to, edges: [], own: [] };
    arrow.edges.push(edge);
    if (!common.has(wayOf(edge))) arrow.own.push(edge);
    arrows.set(id, arrow);
  }
  return [...arrows.values()];
}

export function entriesOf(diagram: Diagram): Entry[] {
  const entries = new Map<string, Entry>();
  for (const [{ to, label }, from] of commonWays(diagram).values()) {
    const entry = entries.get(to) ?? { id: `>${to}`, to, from: [], labels: [] };
    entry.from = [...new Set([...entry.from, ...from])];
    entry.labels.push(label);
    entries.set(to, entry);
  }
  return [...entries.values()];
}

/** By where it leads and what stands on it: the way, and every state that has it, where those are many. */
function commonWays({ edges }: Diagram): Map<string, [way: DiagramEdge, from: Set<string>]> {
  const ways = new Map<string, [DiagramEdge, Set<string>]>();
  for (const edge of edges.filter(({ self }) => !self)) {
    const [, from] = ways.get(wayOf(edge)) ?? [edge, new Set()];
    ways.set(wayOf(edge), [edge, from.add(edge.from)]);
  }
  return new Map([...ways].filter(([, [, from]]) => from.size >= commonFrom));
}

function wayOf({ to, label }: DiagramEdge): string {
  return `${to} ${label}`;
}

/** The diagram with every box shut: one state in place of those within, and only the arrows that cross its border. */
export function folded(diagram: Diagram): Diagram {
  const boxOf = (state: string) => boxHolding(diagram, state) ?? state;
  const boxes = Object.keys(diagram.boxes).map((id) => ({
    id,
    tone: "busy" as const,
    summary: `Holds ${(diagram.boxes[id] ?? []).join(", ")}`,
    initial: false,
    settled: true,
  }));
  const edges = diagram.edges.map((edge) => ({ ...edge, from: boxOf(edge.from), to: boxOf(edge.to) }));
  return {
    boxes: {},
    nodes: [...diagram.nodes.filter(({ id }) => boxOf(id) === id), ...boxes],
    edges: edges.filter(({ from, to, self }) => self || from !== to),
  };
}

/** The box that a state is in. */
export function boxHolding({ boxes }: Pick<Diagram, "boxes">, state: string): string | undefined {
  return Object.keys(boxes).find((box) => boxes[box]?.includes(state));
}

/** More arrows than this cannot all be read at once: only those of the state in question are labelled. */
export const denseFrom = 22;
