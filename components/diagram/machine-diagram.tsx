"use client";
import { lazy, Suspense, useSyncExternalStore } from "react";
import type { Diagram } from "@/machines/diagram";
import type { Layout } from "@/server/layout/layout-machine";
import type { DrawnMachine } from "./drawn-machine";
import { StateCards } from "./state-cards";
import { StillDiagram } from "./still-diagram";
import { TextTwin } from "./text-twin";

// Loaded on its own: pages without a large diagram do not pay for it.
const FlowDiagram = lazy(() => import("./flow-diagram").then((module) => ({ default: module.FlowDiagram })));

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
  const isBrowser = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  const still = <StillDiagram id={id} layout={layout} machine={machine} />;
  return (
    <>
      {isBrowser ? (
        <Suspense fallback={still}>
          <FlowDiagram id={id} layout={layout} machine={machine} label={label} onState={onState} />
        </Suspense>
      ) : (
        still
      )}
      <StateCards machine={machine} onState={onState} />
      <TextTwin machine={machine} edges={diagram.edges} />
    </>
  );
}

const never = () => () => undefined;
