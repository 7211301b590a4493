"use client";
import { useRef } from "react";
import type { GetAnswer, TransitionAnswer } from "../answers";
import type { Tone } from "@/machines/lifecycle";
import { Age } from "../time/age";
import { duration } from "../time/duration";
import { useNow } from "../time/now";
import { stretchAt, stretchesOf, type Stretch } from "./stretches";

type Props = {
  lifecycle: Pick<GetAnswer["lifecycles"][number], "state" | "since" | "title">;
  transitions: TransitionAnswer[];
  nodes: { id: string; tone: Tone }[];
  at: { at: string } | null;
  onAt: (id: string | null) => void;
};

/** The lifecycle as stretches of time. A slider: dragged, or with the arrow keys, it puts the page where a stretch began. */
export function TimeStrip({ lifecycle, transitions, nodes, at, onAt }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  const stretches = stretchesOf(transitions, lifecycle, useNow());
  const first = stretches[0];
  if (!first) return null;
  const last = stretches.length - 1;
  const here =
    at === null
      ? last
      : Math.max(
          0,
          stretches.findLastIndex(({ from }) => from <= at.at),
        );
  const go = (index: number) => {
    const to = Math.min(last, Math.max(0, index));
    if (to === here && (at !== null || to === last)) return;
    onAt(to === last ? null : (stretches[to]?.id ?? null));
  };
  const steps: Record<string, number> = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: last };
  const drag = (event: React.PointerEvent) => {
    const box = bar.current?.getBoundingClientRect();
    if (box && event.buttons === 1) go(stretchAt(stretches, (event.clientX - box.left) / box.width));
  };
  return (
    <div className="strip">
      <span>
        <Age since={first.from} />
      </span>
      <div
        ref={bar}
        className="bar"
        role="slider"
        tabIndex={0}
        aria-label={`${lifecycle.title}: all the time before`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={here}
        aria-valuetext={told(stretches[here])}
        onKeyDown={(event) => {
          const to = steps[event.key];
          if (to === undefined) return;
          event.preventDefault();
          go(to);
        }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag(event);
        }}
        onPointerMove={drag}
      >
        {stretches.map((stretch, index) => (
          <i
            key={stretch.from}
            className={nodes.find(({ id }) => id === stretch.state)?.tone ?? "idle"}
            style={{ "--f": stretch.weight } as React.CSSProperties}
            data-here={index === here ? "" : undefined}
            title={`${told(stretch)}\nfrom ${stretch.from}`}
          />
        ))}
      </div>
      <span>now</span>
    </div>
  );
}

function told(stretch: Stretch | undefined): string {
  return stretch ? `${stretch.state} for ${duration(stretch.ms)}` : "";
}
