"use client";
import type { ExplainAnswer } from "../answers";
import { GuardView } from "./guard-view";

type Way = ExplainAnswer["lifecycles"][number]["waysOut"][number];

/** Each way out of each lifecycle's state, in the order tried, with its condition and what that rests on. */
export function WaysOut({ explained }: { explained: ExplainAnswer }) {
  const { lifecycles } = explained;
  return lifecycles.map(({ lifecycle, state, waysOut }) => (
    <div key={lifecycle}>
      {lifecycles.length > 1 && (
        <h3 style={{ margin: "10px 0 4px" }}>
          {lifecycle} <small>{state}</small>
        </h3>
      )}
      {ordered(waysOut).map((way) => (
        <WayOut key={way.edge} way={way} />
      ))}
      {waysOut.every(({ event }) => event !== "observed") && (
        <p className="panel-note">It may rest here: only a command moves it.</p>
      )}
    </div>
  ));
}

/** What may happen by itself, in the order tried. Commands have their buttons; what stays and waits is told only when it holds. */
function ordered(ways: Way[]): Way[] {
  return ways.filter(({ event, self, open }) => event === "observed" && (!self || open));
}

function WayOut({ way }: { way: Way }) {
  return (
    <div className="way">
      <div className="to">
        <span aria-hidden>{way.self ? "↺" : "→"}</span>
        <b>{way.self ? "stays" : way.to}</b>
        {way.actions.length > 0 && <span className="ev mono">{way.actions.join(", ")}</span>}
        {way.taken && (
          <span className={`pill slim ${way.self ? "idle" : "busy"}`}>{way.self ? "holds now" : "taken next"}</span>
        )}
      </div>
      {way.guard ? <GuardView guard={way.guard} wanted /> : <p className="ev">when nothing above holds</p>}
    </div>
  );
}
