"use client";
import { useState } from "react";
import { edgeTaken } from "@/machines/edges";
import { explain } from "@/machines/explain";
import { kinds } from "@/machines/families";
import type { Facts } from "@/machines/facts";
import type { Kind } from "@/machines/kind";
import { initialOf, metaOf, observed, stateMetaOf, statesOf, step } from "@/machines/lifecycle";
import { GuardView } from "../resource/guard-view";
import { StatusPill } from "../tone/status-pill";

type Done = { event: string; from: string; to: string; actions: string[] };

/** Try the machine on facts of your own: the same step that the worker takes, with nothing behind it. */
export function Bench({ kind, lifecycle }: { kind: string; lifecycle: string }) {
  const all: Record<string, Kind> = kinds;
  const machine = all[kind]?.lifecycles[lifecycle]?.machine;
  if (!machine) return <p className="panel-note">This machine is not in this build.</p>;
  return <Trial machine={machine} />;
}

function Trial({ machine }: { machine: Kind["lifecycles"][string]["machine"] }) {
  const { facts: domains, commands } = metaOf(machine);
  const [state, setState] = useState(initialOf(machine));
  const [facts, setFacts] = useState<Facts>(() => ({ ...(machine.config.context as Facts) }));
  const [done, setDone] = useState<Done[]>([]);
  const send = (event: string) => {
    const next = step(machine, { state, facts }, { type: event });
    setDone((before) => [{ event, from: state, to: next.state, actions: next.actions }, ...before].slice(0, 8));
    setState(next.state);
  };
  const ways = explain(machine, state, { facts, evidence: {} }).filter(({ edge }) => edge.event === observed.type);
  const taken = ways.find((way) => way.taken);
  return (
    <div className="stack" style={{ gap: 12 }}>
      <div className="chips" style={{ alignItems: "end" }}>
        <label className="field">
          state
          <select value={state} onChange={(event) => setState(event.target.value)}>
            {statesOf(machine).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <StatusPill tone={stateMetaOf(machine, state).tone}>{stateMetaOf(machine, state).summary}</StatusPill>
      </div>
      <div className="facts">
        {Object.entries(domains).map(([fact, values]) => (
          <label key={fact} className="field">
            {fact}
            <select
              value={JSON.stringify(facts[fact])}
              onChange={(event) => setFacts({ ...facts, [fact]: JSON.parse(event.target.value) as unknown })}
            >
              {values.map((value) => (
                <option key={JSON.stringify(value)} value={JSON.stringify(value)}>
                  {String(value)}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
      <div className="chips">
        <button className="main" onClick={() => send(observed.type)}>
          observed
        </button>
        {Object.keys(commands).map((command) => (
          <button
            key={command}
            disabled={edgeTaken(machine, { state, facts }, { type: command }) === null}
            onClick={() => send(command)}
          >
            {command}
          </button>
        ))}
      </div>
      <div className="ev">
        The next look {taken ? (taken.edge.self ? `stays in ${state}` : `goes to ${taken.edge.to}`) : "changes nothing"}
        {taken?.edge.actions.length ? ` and does ${taken.edge.actions.join(", ")}` : ""}.
      </div>
      {taken?.tree && <GuardView guard={taken.tree} wanted />}
      <ol>
        {done.map(({ event, from, to, actions }, index) => (
          <li key={done.length - index} className="ev">
            <b>{event}</b>: {from === to ? `stays ${to}` : `${from} → ${to}`}{" "}
            {actions.length > 0 && <code>/ {actions.join(", ")}</code>}
          </li>
        ))}
      </ol>
    </div>
  );
}
