"use client";
import type { ExplainAnswer, GetAnswer } from "../answers";
import { GuardView, whyShut } from "./guard-view";

type Way = ExplainAnswer["lifecycles"][number]["waysOut"][number];
type Told = { lifecycle: string; state: string; waysOut: Way[] | null };
type Lifecycle = Pick<GetAnswer["lifecycles"][number], "lifecycle" | "settled" | "composedOf">;

/** Each way out of each lifecycle's state, in the order tried, with its condition and what that rests on. */
export function WaysOut({ told, lifecycles }: { told: Told[]; lifecycles: Lifecycle[] }) {
  // What a composed lifecycle waits for is told by those that it is made of.
  const own = told.filter(
    ({ lifecycle }) => lifecycles.find((one) => one.lifecycle === lifecycle)?.composedOf.length === 0,
  );
  const isSettled = (of: string) => lifecycles.find(({ lifecycle }) => lifecycle === of)?.settled ?? false;
  const allRest = own.every(({ lifecycle }) => isSettled(lifecycle));
  return own.map(({ lifecycle, state, waysOut }, index) => {
    if (own.length === 1) return <Ways key={lifecycle} ways={waysOut} />;
    return (
      <details key={lifecycle} className="ways-of" open={allRest ? index === 0 : !isSettled(lifecycle)}>
        <summary>
          <b>{lifecycle}</b> {state} <span className="ev">{shortly(waysOut ?? [], isSettled(lifecycle))}</span>
        </summary>
        <Ways ways={waysOut} />
      </details>
    );
  });
}

/** In three words, for who does not open it: where it goes, that it rests, or what it waits for. */
function shortly(ways: Way[], isSettled: boolean): string {
  const taken = ways.find((way) => way.taken && !way.self);
  if (taken) return `goes to ${taken.to}`;
  if (isSettled) return "rests";
  const shut = ways.find(({ event, self, open, guard }) => event === "observed" && !self && !open && guard);
  return shut?.guard ? `waits: ${whyShut(shut.guard)}` : "";
}

function Ways({ ways }: { ways: Way[] | null }) {
  if (!ways)
    return <p className="panel-note">The rules of then are no longer in force; what was known is told below.</p>;
  const shown = byItself(ways);
  return (
    <>
      {shown.map((way) => (
        <WayOut key={way.edge} way={way} />
      ))}
      {shown.length === 0 && <p className="panel-note">It may rest here: only a command moves it.</p>}
    </>
  );
}

/** What may happen by itself, in the order tried. Commands have their buttons; what stays and waits is told only when it holds. */
function byItself(ways: Way[]): Way[] {
  return ways.filter(({ event, self, open, taken }) => taken || (event === "observed" && (!self || open)));
}

function WayOut({ way }: { way: Way }) {
  return (
    <div className="way">
      <div className="to">
        <span aria-hidden>{way.self ? "↺" : "→"}</span>
        <b>{way.self ? "stays" : way.to}</b>
        {way.actions.length > 0 && <span className="ev mono">{way.actions.join(", ")}</span>}
        {way.taken && <span className={`pill slim ${way.self ? "idle" : "busy"}`}>{way.self ? "holds" : "taken"}</span>}
      </div>
      {way.guard ? <GuardView guard={way.guard} wanted /> : <p className="ev">when nothing above holds</p>}
    </div>
  );
}
