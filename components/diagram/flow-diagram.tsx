"use client";
import "@xyflow/react/dist/base.css";
import { ReactFlow, ReactFlowProvider, useReactFlow, type Edge, type Node } from "@xyflow/react";
import { useEffect, useMemo, useState } from "react";
import type { Layout } from "@/server/layout/layout-machine";
import { isTyping } from "../shell/shortcuts";
import { ArrowHead } from "./arrow-head";
import { BoxNode } from "./box-node";
import { neighbourOf, type DrawnMachine } from "./drawn-machine";
import { frameOf } from "./still-diagram";
import { StateNode, stateElementId, type StateData } from "./state-node";
import { WireEdge, type WireData } from "./wire-edge";

const nodeTypes = { state: StateNode, box: BoxNode };
const edgeTypes = { wire: WireEdge };

export type FlowProps = {
  id: string;
  layout: Layout;
  machine: DrawnMachine;
  label: string;
  onState?: ((state: string) => void) | undefined;
};

/** The machine to walk through: pan, zoom, and the arrow keys along the transitions. Places never change. */
export function FlowDiagram(props: FlowProps) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

function Flow({ id, layout, machine, label, onState }: FlowProps) {
  const [focus, setFocus] = useState<string | null>(null);
  const { fitBounds } = useReactFlow();
  const nodes = useMemo(() => nodesOf(id, layout, machine), [id, layout, machine]);
  const edges = useMemo(() => edgesOf(id, layout, machine, focus), [id, layout, machine, focus]);
  useEffect(() => {
    // The whole picture, with its arrows and labels: React Flow itself would fit only the states.
    const fit = () =>
      void fitBounds({ x: layout.left, y: layout.top, width: layout.width, height: layout.height }, { padding: 0 });
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "f" && !isTyping(event)) fit();
    };
    fit();
    window.addEventListener("resize", fit);
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("resize", fit);
      window.removeEventListener("keydown", onKey);
    };
  }, [fitBounds, layout]);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const from = (event.target as HTMLElement).dataset["state"];
    if (!from || !event.key.startsWith("Arrow")) return;
    event.preventDefault();
    event.stopPropagation();
    const to = neighbourOf(layout, machine.arrows, from, event.key);
    if (to) document.getElementById(stateElementId(id, to))?.focus();
  };
  const stateOf = (event: { target: EventTarget }) =>
    (event.target as HTMLElement).closest<HTMLElement>("[data-state]")?.dataset["state"] ?? null;
  return (
    <div
      className="flow"
      style={frameOf(layout)}
      role="group"
      aria-label={label}
      onKeyDownCapture={onKeyDown}
      onFocus={(event) => setFocus(stateOf(event))}
      onBlur={() => setFocus(null)}
      onMouseOver={(event) => setFocus(stateOf(event))}
      onMouseLeave={() => setFocus(null)}
    >
      <svg width="0" height="0" style={{ position: "absolute" }} aria-hidden>
        <defs>
          {heads.map((look) => (
            <ArrowHead key={look} id={`${id}-${look}`} className={`wire-head ${look}`} />
          ))}
        </defs>
      </svg>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        minZoom={0.2}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_event, node) => onState?.(node.id)}
      />
    </div>
  );
}

const heads = ["shut", "plain", "may", "will", "taken", "focus"] as const;

function nodesOf(diagram: string, layout: Layout, machine: DrawnMachine): Node[] {
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

function edgesOf(diagram: string, layout: Layout, machine: DrawnMachine, focus: string | null): Edge[] {
  const now = machine.states.find(({ look }) => look === "now")?.id;
  return machine.arrows.flatMap((arrow) => {
    const path = layout.arrows.find(({ id }) => id === arrow.id);
    if (!path) return [];
    const isFocus = arrow.from === focus || arrow.to === focus;
    const isQuiet = machine.isDense && !isFocus && arrow.from !== now && arrow.look !== "taken";
    const data: WireData = { diagram, path, look: isFocus && arrow.from === focus ? "focus" : arrow.look, isQuiet };
    return [{ id: arrow.id, source: arrow.from, target: arrow.to, type: "wire", data, zIndex: isFocus ? 2 : 1 }];
  });
}
