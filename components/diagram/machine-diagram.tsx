"use client";
import { lazy, Suspense, useState, useSyncExternalStore } from "react";
import { folded as foldedDiagram, type Diagram } from "@/machines/arrows";
import type { Layout } from "@/server/layout/layout-machine";
import { afterLoad } from "../ui/after-load";
import { drawMachine, foldedAt, type Here, type Population } from "./drawn-machine";
import { StateCards } from "./state-cards";
import { StillDiagram } from "./still-diagram";
import { TextTwin } from "./text-twin";

// Loaded on its own, after the page: until then the still one shows the same.
const FlowDiagram = lazy(() =>
  afterLoad()
    .then(() => import("./flow-diagram"))
    .then((module) => ({ default: module.FlowDiagram })),
);

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
  const isBrowser = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  const [isOpen, setOpen] = useState(false);
  const boxes = Object.keys(diagram.boxes);
  const whole = drawMachine(diagram, subs, at);
  const shut = folded && !isOpen ? foldedAt(diagram, subs, at) : null;
  const machine = shut ? drawMachine(foldedDiagram(diagram), shut.subs, shut.at) : whole;
  const places = shut && folded ? folded : layout;
  const choose = (state: string) => {
    if (boxes.includes(state)) setOpen(true);
    else onState?.(state);
  };
  const still = <StillDiagram id={id} layout={places} machine={machine} />;
  return (
    <>
      {folded && (
        <p className="fold">
          <button className="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "▾" : "▸"} {boxes.join(", ")}: {isOpen ? "shut it" : "open it to see what goes on inside"}
          </button>
        </p>
      )}
      {isBrowser ? (
        <Suspense fallback={still}>
          <FlowDiagram key={String(isOpen)} id={id} layout={places} machine={machine} label={label} onState={choose} />
        </Suspense>
      ) : (
        still
      )}
      <StateCards machine={machine} onState={choose} />
      <TextTwin machine={whole} edges={diagram.edges} />
    </>
  );
}

const never = () => () => undefined;
