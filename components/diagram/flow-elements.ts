import type { Edge, Node } from "@xyflow/react";
import type { Layout } from "@/server/layout/layout-machine";
import { tellArrow, type DrawnMachine } from "./drawn-machine";
import type { StateData } from "./state-node";
import type { WireData } from "./wire-edge";

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
      .map(({ to, look }) => `${to}${look === "may" || look === "will" ? ", open" : ""}`);
    return [
      { id, type: "state", position: { x, y }, width, height, data: { diagram, state, ways } satisfies StateData },
    ];
  });
  return [...boxes, ...states];
}

export function edgesOf(
  diagram: string,
  layout: Layout,
  machine: DrawnMachine,
  focus: { state: string | null; arrow: string | null },
): Edge[] {
  const now = machine.states.find(({ look }) => look === "now")?.id;
  return machine.arrows.flatMap((arrow) => {
    const path = layout.arrows.find(({ id }) => id === arrow.id);
    if (!path) return [];
    const isFocus = arrow.id === focus.arrow || (focus.arrow === null && arrow.from === focus.state);
    const isQuiet = machine.isDense && !isFocus && arrow.from !== now && arrow.look !== "taken";
    const look = isFocus ? ("focus" as const) : arrow.look;
    const data: WireData = { diagram, path, look, isQuiet, told: tellArrow(arrow) };
    return [{ id: arrow.id, source: arrow.from, target: arrow.to, type: "wire", data, zIndex: isFocus ? 2 : 1 }];
  });
}
