import type { Edge, Node } from "@xyflow/react";
import type { Layout } from "@/server/layout/layout-machine";
import { tellArrow, tellEntry, type DrawnArrow, type DrawnMachine } from "./drawn-machine";
import type { StateData } from "./state-node";
import type { WireData } from "./wire-edge";
import type { LabelsData } from "./wire-labels";

/** The machine as React Flow wants it: the places are those of the layout, once and for all. */
export function nodesOf(diagram: string, layout: Layout, machine: DrawnMachine): Node[] {
  const boxes = layout.boxes.map(({ id, x, y, width, height }) => ({
    id: `box:${id}`,
    type: "box",
    position: { x, y },
    width,
    height,
    zIndex: -1,
    data: { title: id },
  }));
  const states = layout.nodes.flatMap(({ id, x, y, width, height }) => {
    const state = machine.states.find((one) => one.id === id);
    if (!state) return [];
    const ways = machine.arrows
      .filter(({ from }) => from === id)
      .map((arrow) => `${arrow.to}${isOpen(arrow) ? ", open" : ""}`);
    return [
      { id, type: "state", position: { x, y }, width, height, data: { diagram, state, ways } satisfies StateData },
    ];
  });
  return [...boxes, ...states];
}

/** What is pointed at or has the focus: a state, or one arrow. */
export type Focus = { state: string | null; arrow: string | null };
export const nowhere: Focus = { state: null, arrow: null };

export function edgesOf(diagram: string, layout: Layout, machine: DrawnMachine, focus: Focus): Edge[] {
  const wires = wiresOf(diagram, layout, machine, focus);
  const edges = wires.map(({ from, to, ...data }) => ({
    id: data.path.id,
    source: from,
    target: to,
    type: "wire",
    data,
    zIndex: data.look === "focus" ? 2 : 1,
  }));
  const somewhere = layout.nodes[0]?.id ?? "";
  const data = { wires } satisfies LabelsData;
  return [...edges, { id: "labels", source: somewhere, target: somewhere, type: "labels", data, zIndex: 3 }];
}

type Wire = WireData & { from: string; to: string };

/** Every arrow that is to be seen now, and how; one that is told where it leads only when it is asked about. */
export function wiresOf(diagram: string, layout: Layout, machine: DrawnMachine, focus: Focus = nowhere): Wire[] {
  const now = machine.states.find(({ look }) => look === "now")?.id;
  const arrows = machine.arrows.flatMap((arrow): Wire[] => {
    const path = layout.arrows.find(({ id }) => id === arrow.id);
    if (!path) return [];
    const isOfEntry = path.isAside && focus.arrow === `>${arrow.to}`;
    const isFocus = arrow.id === focus.arrow || isOfEntry || (focus.arrow === null && arrow.from === focus.state);
    const isAskedAbout = isFocus || arrow.from === now || arrow.look === "taken";
    // What is told where it leads is drawn only where it says more than that.
    if (path.isAside && !isFocus && arrow.look !== "taken" && !isOpen(arrow)) return [];
    const { from, to } = arrow;
    const look = isFocus ? "focus" : arrow.look;
    return [{ diagram, path, look, isQuiet: machine.isDense && !isAskedAbout, told: tellArrow(arrow), from, to }];
  });
  const entries = machine.entries.flatMap((entry): Wire[] => {
    const path = layout.entries.find(({ id }) => id === entry.id);
    if (!path) return [];
    const mine = machine.arrows.find(({ from, to }) => from === now && to === entry.to);
    const atRest = now === undefined ? "plain" : mine && isOpen(mine) ? mine.look : "shut";
    const look = focus.arrow === entry.id ? "focus" : atRest;
    return [{ diagram, path, look, isQuiet: false, told: tellEntry(entry), from: entry.to, to: entry.to }];
  });
  return [...arrows, ...entries];
}

function isOpen({ look }: DrawnArrow): boolean {
  return look === "may" || look === "will";
}
