import type { AnyStateMachine } from "xstate";
import { edgesOf, type Edge } from "./edges";
import { guardText } from "./guard";
import { initialOf, metaOf, observed, stateMetaOf, statesOf, type StateMeta } from "./lifecycle";

export type DiagramNode = StateMeta & { id: string; initial: boolean; settled: boolean };

/** `label` is what stands on the arrow: [the guard], or the command that asks for it. */
export type DiagramEdge = {
  id: string;
  from: string;
  to: string;
  label: string;
  command: string | null;
  self: boolean;
};

export type Diagram = { nodes: DiagramNode[]; edges: DiagramEdge[]; boxes: Record<string, readonly string[]> };

/** What is drawn between two states: one arrow, however many transitions it stands for. */
export type Arrow = { id: string; from: string; to: string; edges: DiagramEdge[] };

/** The arrows of a diagram. A transition that stays where it is has none; the state itself tells of it. */
export function arrowsOf({ edges }: Diagram): Arrow[] {
  const arrows = new Map<string, Arrow>();
  for (const edge of edges.filter(({ self }) => !self)) {
    const id = `${edge.from}>${edge.to}`;
    const arrow = arrows.get(id) ?? { id, from: edge.from, to: edge.to, edges: [] };
    arrow.edges.push(edge);
    arrows.set(id, arrow);
  }
  return [...arrows.values()];
}

/** A machine as a picture without places: exactly its states and its transitions. */
export function diagramOf(machine: AnyStateMachine): Diagram {
  const { settled, boxes = {} } = metaOf(machine);
  return {
    boxes,
    nodes: statesOf(machine).map((state) => ({
      id: state,
      initial: initialOf(machine) === state,
      settled: settled.includes(state),
      ...stateMetaOf(machine, state),
    })),
    edges: edgesOf(machine).map((edge) => ({
      id: edge.id,
      from: edge.from,
      to: edge.to,
      self: edge.self,
      label: labelOf(edge),
      command: Object.hasOwn(metaOf(machine).commands, edge.event) ? edge.event : null,
    })),
  };
}

function labelOf({ event, guard, actions }: Edge): string {
  const when = guard ? `[${guardText(guard)}]` : "";
  if (event !== observed.type) return [event, when].filter(Boolean).join(" ");
  return when || ["otherwise", ...(actions.length ? [`/ ${actions.join(", ")}`] : [])].join(" ");
}
