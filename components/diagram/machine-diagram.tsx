"use client";
import { createElement, useEffect, useMemo, useState, type ComponentType } from "react";
import { folded as foldedDiagram, type Diagram } from "@/machines/arrows";
import type { Layout } from "@/server/layout/layout-machine";
import { afterLoad } from "../ui/after-load";
import { drawMachine, foldedAt, type Here, type Population } from "./drawn-machine";
import type { FlowProps } from "./flow-diagram";
import { StateCards } from "./state-cards";
import { StillDiagram } from "./still-diagram";
import { TextTwin } from "./text-twin";

type Props = {
  id: string;
  diagram: Diagram;
  layout: Layout;
  folded: Layout | null;
  /** What stands below the name of a state. */
  subs: ReadonlyMap<string, string>;
  at: Here | Population;
  label: string;
  onState?: (state: string) => void;
};

/** A machine three times over: to see, as cards on a narrow screen, and in words. Its boxes open where they stand. */
export function MachineDiagram({ id, diagram, layout, folded, subs, at, label, onState }: Props) {
  const isMoving = useFlow();
  const [isOpen, setOpen] = useState(false);
  const boxes = Object.keys(diagram.boxes);
  const isShut = folded !== null && !isOpen;
  // Drawn again only when something of it has changed: the page around it ticks once a second.
  const whole = useMemo(() => drawMachine(diagram, subs, at), [diagram, subs, at]);
  const machine = useMemo(() => (isShut ? drawShut(diagram, subs, at) : whole), [isShut, diagram, subs, at, whole]);
  const places = isShut ? folded : layout;
  const choose = (state: string) => {
    if (boxes.includes(state)) setOpen(true);
    else onState?.(state);
  };
  return (
    <>
      {folded && (
        <p className="fold">
          <button className="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "▾" : "▸"} {boxes.join(", ")}: {isOpen ? "shut it" : "open it to see what goes on inside"}
          </button>
        </p>
      )}
      {isMoving ? (
        <Flow key={String(isOpen)} id={id} layout={places} machine={machine} label={label} onState={choose} />
      ) : (
        <StillDiagram id={id} layout={places} machine={machine} />
      )}
      <StateCards machine={machine} onState={choose} />
      <TextTwin machine={whole} edges={diagram.edges} />
    </>
  );
}

function drawShut(diagram: Diagram, subs: ReadonlyMap<string, string>, at: Here | Population) {
  const shut = foldedAt(diagram, subs, at);
  return drawMachine(foldedDiagram(diagram), shut.subs, shut.at);
}

let loaded: ComponentType<FlowProps> | null = null;

function Flow(props: FlowProps) {
  return loaded && createElement(loaded, props);
}

/** What moves the diagram comes on its own, after the page: until then, and if it never comes, the still one shows the same. */
function useFlow(): boolean {
  const [isLoaded, setLoaded] = useState(loaded !== null);
  useEffect(() => {
    if (loaded) return;
    void afterLoad()
      .then(() => import("./flow-diagram"))
      .then(
        ({ FlowDiagram }) => {
          loaded = FlowDiagram;
          setLoaded(true);
        },
        () => undefined,
      );
  }, []);
  return isLoaded;
}
