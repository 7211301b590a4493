"use client";
import "@xyflow/react/dist/base.css";
import { ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import { useEffect, useMemo, useState } from "react";
import type { Layout } from "@/server/layout/layout-machine";
import { deedOf, type DeedName } from "../shell/key-map";
import { isTyping } from "../shell/shortcuts";
import { ArrowHead } from "./arrow-head";
import { BoxNode } from "./box-node";
import { endOf, neighbourOf, tellArrow, tellEntry, type DrawnMachine } from "./drawn-machine";
import { edgesOf, nodesOf, nowhere, type Focus } from "./flow-elements";
import { StateNode, stateElementId } from "./state-node";
import { frameOf } from "./still-diagram";
import { LabelsEdge } from "./labels-edge";
import { WireEdge } from "./wire-edge";

const nodeTypes = { state: StateNode, box: BoxNode };
const edgeTypes = { wire: WireEdge, labels: LabelsEdge };

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
  const [focus, setFocus] = useState<Focus>(nowhere);
  const nodes = useMemo(() => nodesOf(id, layout, machine), [id, layout, machine]);
  const edges = useMemo(() => edgesOf(id, layout, machine, focus), [id, layout, machine, focus]);
  useFitting(layout, machine.states.find(({ look }) => look === "now")?.id);
  const told = machine.arrows.find((arrow) => arrow.id === focus.arrow);
  const toldEntry = machine.entries.find((entry) => entry.id === focus.arrow);
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (!event.key.startsWith("Arrow")) return;
    const at = focusOf(event.target);
    if (at.arrow === null && at.state === null) return;
    const arrow = machine.arrows.find((one) => one.id === at.arrow);
    const entry = machine.entries.find((one) => one.id === at.arrow);
    const to = arrow
      ? endOf(arrow, event.key)
      : (entry?.to ?? (at.state !== null && neighbourOf(layout, machine.arrows, at.state, event.key)));
    event.preventDefault();
    event.stopPropagation();
    if (to) document.getElementById(stateElementId(id, to))?.focus();
  };
  return (
    <>
      <div
        className="flow"
        style={frameOf(layout)}
        role="group"
        aria-label={label}
        onKeyDownCapture={onKeyDown}
        onFocus={(event) => setFocus(focusOf(event.target))}
        onBlur={() => setFocus(nowhere)}
        onMouseOver={(event) => setFocus(focusOf(event.target))}
        onMouseLeave={() => setFocus(nowhere)}
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
      <p className="told ev mono" aria-hidden>
        {told ? tellArrow(told) : toldEntry ? tellEntry(toldEntry) : ""}
      </p>
    </>
  );
}

const heads = ["shut", "plain", "may", "will", "taken", "focus"] as const;

/** The whole picture, with its arrows and labels: React Flow itself would fit only the states. Again with f; c goes to the state it is in. */
function useFitting(layout: Layout, now: string | undefined) {
  const { fitBounds, setCenter } = useReactFlow();
  useEffect(() => {
    const fit = () =>
      void fitBounds({ x: layout.left, y: layout.top, width: layout.width, height: layout.height }, { padding: 0 });
    const centre = () => {
      const place = layout.nodes.find((node) => node.id === now);
      if (place) void setCenter(place.x + place.width / 2, place.y + place.height / 2, { zoom: 1.2 });
    };
    const moves: Partial<Record<DeedName, () => void>> = { fit, centre };
    const onKey = (event: KeyboardEvent) => {
      const deed = isTyping(event) ? undefined : deedOf(event);
      if (deed) moves[deed]?.();
    };
    fit();
    window.addEventListener("resize", fit);
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("resize", fit);
      window.removeEventListener("keydown", onKey);
    };
  }, [fitBounds, setCenter, layout, now]);
}

function focusOf(target: EventTarget): Focus {
  // Everything in a diagram is an element; arrows are of SVG.
  const near = (name: string) => (target as Element).closest(`[data-${name}]`)?.getAttribute(`data-${name}`) ?? null;
  return { state: near("state"), arrow: near("arrow") };
}
