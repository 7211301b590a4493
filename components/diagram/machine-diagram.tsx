"use client";
import dynamic from "next/dynamic";
import type { Diagram } from "@/machines/diagram";
import type { Layout } from "@/server/layout/layout-machine";
import type { DrawnMachine } from "./drawn-machine";
import { StateCards } from "./state-cards";
import { TextTwin } from "./text-twin";

// Loaded on its own: pages without a large diagram do not pay for it.
const FlowDiagram = dynamic(() => import("./flow-diagram").then((module) => module.FlowDiagram), { ssr: false });

type Props = {
  id: string;
  diagram: Diagram;
  layout: Layout;
  machine: DrawnMachine;
  label: string;
  onState?: (state: string) => void;
};

/** A machine three times over: to see, as cards on a narrow screen, and in words. */
export function MachineDiagram({ id, diagram, layout, machine, label, onState }: Props) {
  return (
    <>
      <div style={{ minHeight: 1 }}>
        <FlowDiagram id={id} layout={layout} machine={machine} label={label} onState={onState} />
      </div>
      <StateCards machine={machine} onState={onState} />
      <TextTwin machine={machine} edges={diagram.edges} />
    </>
  );
}
