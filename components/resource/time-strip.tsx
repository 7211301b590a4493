"use client";
import type { Tone } from "@/machines/lifecycle";
import type { TransitionAnswer } from "../answers";
import { Age } from "../time/age";
import { duration } from "../time/duration";
import { useNow } from "../time/now";

type Props = {
  transitions: TransitionAnswer[];
  nodes: { id: string; tone: Tone }[];
  at: string | null;
  onAt: (id: string | null) => void;
};

const stretchesMax = 60;

/** The lifecycle as stretches of time; each puts the page at the moment in which it began. */
export function TimeStrip({ transitions, nodes, at, onAt }: Props) {
  const now = useNow();
  const moves = transitions
    .filter(({ from, to }) => from !== to)
    .slice(0, stretchesMax)
    .toReversed();
  const first = moves[0];
  if (!first) return null;
  return (
    <div className="strip">
      <span>
        <Age since={first.at} />
      </span>
      <div
        className="bar"
        role="group"
        aria-label="All the time before"
        onKeyDown={(event) => {
          const step =
            event.key === "ArrowLeft"
              ? "previousElementSibling"
              : event.key === "ArrowRight"
                ? "nextElementSibling"
                : null;
          const next = step && (event.target as HTMLElement)[step];
          if (next instanceof HTMLElement) next.focus();
        }}
      >
        {moves.map((move, index) => {
          const next = moves[index + 1];
          const ms = (next ? Date.parse(next.at) : now || Date.parse(move.at)) - Date.parse(move.at);
          const isLast = next === undefined;
          const tone = nodes.find(({ id }) => id === move.to)?.tone ?? "idle";
          const isHere = at === null ? isLast : move.id === at;
          return (
            <button
              key={move.id}
              className={tone}
              // By the square root: a minute stays to be seen beside a week.
              style={{ "--f": Math.max(1, Math.sqrt(ms)) } as React.CSSProperties}
              aria-current={isHere ? "true" : undefined}
              aria-label={`${move.to} for ${duration(ms)}, from ${move.at}`}
              title={`${move.to} for ${duration(ms)}\nfrom ${move.at}`}
              onClick={() => onAt(isLast ? null : move.id)}
            />
          );
        })}
      </div>
      <span>now</span>
    </div>
  );
}
