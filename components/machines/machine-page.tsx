"use client";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import type { MachineAnswer } from "../answers";
import { drawMachine } from "../diagram/drawn-machine";
import { MachineDiagram } from "../diagram/machine-diagram";
import { kindPath } from "../paths";
import { duration } from "../time/duration";
import { StatusPill } from "../tone/status-pill";
import { useTRPC } from "../trpc";
import { Card } from "../ui/card";
import { Panel } from "../ui/panel";
import { SpecTable } from "./spec-table";

// The bench runs the machine itself, with XState; only who looks at a machine pays for that.
const Bench = dynamic(() => import("./bench").then((module) => module.Bench), { ssr: false });

export function MachinePage({ kind, lifecycle }: { kind: string; lifecycle: string }) {
  const machine = useQuery({ ...useTRPC().machines.get.queryOptions({ kind, lifecycle }), meta: { counts: true } });
  return <Panel query={machine}>{(answer) => <Machine answer={answer} />}</Panel>;
}

function Machine({ answer }: { answer: MachineAnswer }) {
  const { kind, lifecycle, definition, layout, states, edges } = answer;
  const router = useRouter();
  const subs = new Map(states.map(({ state, dwell }) => [state, dwell ? `usually ${duration(dwell.p50Ms, 1)}` : ""]));
  const counts = new Map(states.map(({ state, count }) => [state, { count }]));
  const total = states.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <h1>
        {definition.title} <small className="ev mono">{definition.id}</small>
      </h1>
      <p className="say">{definition.description}</p>
      <div className="section" />
      <div className="stack">
        <Card title="The machine" note={`${total.toLocaleString("en")} resources · ${definition.hash}`}>
          {layout && (
            <MachineDiagram
              id="machine"
              diagram={definition.diagram}
              layout={layout}
              machine={drawMachine(definition.diagram, subs, counts)}
              label={definition.title}
              onState={(state) => router.push(`${kindPath(kind)}?state=${encodeURIComponent(state)}`)}
            />
          )}
        </Card>
        <div className="grid">
          <Card title="Specification" note="written by the machine itself; tried from top to bottom">
            <SpecTable definition={definition} taken={new Map(edges.map(({ edge, count }) => [edge, count]))} />
          </Card>
          <div className="stack">
            <Card title="States">
              <table>
                <thead>
                  <tr>
                    <th scope="col">state</th>
                    <th scope="col" className="r">
                      now
                    </th>
                    <th scope="col" className="r">
                      usual stay
                    </th>
                    <th scope="col" className="r">
                      95 of 100
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {states.map(({ state, tone, count, dwell }) => (
                    <tr key={state}>
                      <td>
                        <StatusPill tone={tone} slim>
                          {state}
                        </StatusPill>
                        <div className="ev">{definition.diagram.nodes.find(({ id }) => id === state)?.summary}</div>
                      </td>
                      <td className="r">{count}</td>
                      <td className="r">{dwell ? duration(dwell.p50Ms) : "too few"}</td>
                      <td className="r">{dwell ? duration(dwell.p95Ms) : ""}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Card>
            <Card title="Bench" note="made-up facts, the real rules">
              <Bench kind={kind} lifecycle={lifecycle} />
            </Card>
          </div>
        </div>
      </div>
    </>
  );
}
