"use client";
import { useState } from "react";
import type { EventAnswer as Event, TransitionAnswer } from "../answers";
import { Age } from "../time/age";
import { duration } from "../time/duration";
import type { Told } from "./folded";

/** `at` is the transition at which the page stands; what came later is dimmed. */
type Looked = { at: TransitionAnswer | null; onAt: (id: string) => void };

export function ToldRow({ told, at, onAt }: { told: Told } & Looked) {
  if ("all" in told) return <Circle {...told} at={at} onAt={onAt} />;
  return <Moved transition={told.transition} at={at} onAt={onAt} />;
}

type CircleProps = { all: TransitionAnswer[]; rounds: number; round: number } & Looked;

/** The same round again and again: one row with how often; opened, every transition of it. */
function Circle({ all, rounds, round, at, onAt }: CircleProps) {
  const [isOpen, setOpen] = useState(false);
  const [newest, oldest] = [all[0], all.at(-1)];
  if (!newest || !oldest) return null;
  const once = all.slice(0, round).toReversed();
  const path = [once[0]?.from, ...once.map(({ to }) => to)];
  const did = [...new Set(once.flatMap(({ actions }) => actions))].join(", ");
  const isMove = once.some(({ from, to }) => from !== to);
  const holdsAt = all.some(({ id }) => id === at?.id);
  const isShown = isOpen || holdsAt;
  const error = newest.error;
  const span = Date.parse(newest.at) - Date.parse(oldest.at);
  const said = [newest.guard && `because ${newest.guard}`, `over ${duration(span)}`, error].filter(Boolean);
  return (
    <>
      <li className={lookOf(newest, at)}>
        <Age since={newest.at} />
        <span className={`mark ${error ? "bad" : isMove ? "busy" : "idle"}`} />
        <div className="what">
          <b>{isMove ? path.join(" → ") : did || `stays ${newest.to}`}</b>{" "}
          <span className="pill slim idle">× {rounds}</span> <span className="ev">{newest.lifecycle}</span>{" "}
          <button className="quiet look" aria-expanded={isShown} onClick={() => setOpen(!isShown)}>
            {isShown ? "fold" : `open all ${all.length}`}
          </button>
          <small>{said.join(" · ")}</small>
        </div>
      </li>
      {isShown && all.map((transition) => <Moved key={transition.id} transition={transition} at={at} onAt={onAt} />)}
    </>
  );
}

function Moved({ transition, at: looked, onAt }: { transition: TransitionAnswer } & Looked) {
  const { id, at, from, to, event, guard, flipped, actor, writes, dwellMs, error, actions, lifecycle } = transition;
  const isMove = from !== to;
  const said = [
    ...flipped.flatMap(({ evidence }) => evidence?.sentence ?? []),
    actor && `by ${actor}`,
    writes.length > 0 && `${writes.length} ${writes.length === 1 ? "write" : "writes"}`,
    dwellMs !== null && isMove && `after ${duration(dwellMs)} in ${from}`,
    error,
  ].filter(Boolean);
  return (
    <li className={lookOf(transition, looked)}>
      <Age since={at} />
      <span className={`mark ${error ? "bad" : isMove ? "busy" : "idle"}`} />
      <div className="what">
        {event !== "observed" && <b>{event} </b>}
        {isMove ? (
          <>
            {from} → <b>{to}</b>
          </>
        ) : (
          <span>{actions.join(", ") || `stays ${to}`}</span>
        )}
        {guard && <> because {guard}</>} <span className="ev">{lifecycle}</span>{" "}
        <button className="quiet look" aria-label={`Look at ${from} to ${to}, ${at}`} onClick={() => onAt(id)}>
          look
        </button>
        {said.length > 0 && <small>{said.join(" · ")}</small>}
      </div>
    </li>
  );
}

export function Warned({ event, isLater }: { event: Event; isLater: boolean }) {
  return (
    <li className={isLater ? "later" : ""}>
      <Age since={event.firstSeen} />
      <span className="mark warn" />
      <div className="what">
        {event.reason} on {event.object.kind} {event.object.name} {event.count > 1 && `×${event.count}`}
        <small>{event.message}</small>
      </div>
    </li>
  );
}

function lookOf({ id, at }: TransitionAnswer, looked: TransitionAnswer | null): "" | "at" | "later" {
  if (looked === null) return "";
  if (id === looked.id) return "at";
  return at > looked.at ? "later" : "";
}
