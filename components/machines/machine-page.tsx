"use client";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useMemo } from "react";
import type { MachineAnswer } from "../answers";
import { MachineDiagram } from "../diagram/machine-diagram";
import { kindPath } from "../paths";
import { duration } from "../time/duration";
import { useTRPC } from "../trpc";
import { afterLoad } from "../ui/after-load";
import { Card } from "../ui/card";
import { Panel } from "../ui/panel";
import { NeverTaken } from "./never-taken";
import { SpecTable } from "./spec-table";
import { StatesTable } from "./states-table";

// The bench runs the machine itself, with XState; only who looks at a machine pays for that, and not before it is there.
const Bench = dynamic(() => afterLoad().then(() => import("./bench").then((module) => module.Bench)), { ssr: false });

export function MachinePage({ kind, lifecycle }: { kind: string; lifecycle: string }) {
  const machine = useQuery({ ...useTRPC().machines.get.queryOptions({ kind, lifecycle }), meta: { counts: true } });
  return <Panel query={machine}>{(answer) => <Machine answer={answer} />}</Panel>;
}

function Machine({ answer }: { answer: MachineAnswer }) {
  const { kind, lifecycle, definition, layout, folded, states, edges } = answer;
  const router = useRouter();
  const trpc = useTRPC();
  const flow = useQuery({ ...trpc.machines.flow.queryOptions({ kind, lifecycle }), meta: { counts: true } });
  const { data: machines = [] } = useQuery(trpc.machines.list.queryOptions());
  // The state of a kind's first lifecycle is the row's own; any other is named with its lifecycle.
  const isFirst = machines.find((machine) => machine.kind === kind)?.lifecycle === lifecycle;
  const subs = useMemo(
    () => new Map(states.map(({ state, dwell }) => [state, dwell ? `usually ${duration(dwell.p50Ms, 1)}` : ""])),
    [states],
  );
  const counts = useMemo(() => new Map(states.map(({ state, count }) => [state, { count }])), [states]);
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
          <MachineDiagram
            id="machine"
            diagram={definition.diagram}
            layout={layout}
            folded={folded}
            subs={subs}
            at={counts}
            label={definition.title}
            onState={(state) =>
              router.push(`${kindPath(kind)}?state=${encodeURIComponent(isFirst ? state : `${lifecycle}=${state}`)}`)
            }
          />
        </Card>
        <div className="grid">
          <StatesTable states={states} nodes={definition.diagram.nodes} flow={flow.data?.states ?? []} />
          <Card title="Bench" note="made-up facts, the real rules">
            <Bench kind={kind} lifecycle={lifecycle} />
          </Card>
        </div>
        <div className="grid spec">
          <Card title="Specification" note="written by the machine itself; tried from top to bottom">
            <SpecTable
              definition={definition}
              taken={new Map(edges.map(({ edge, count }) => [edge, count]))}
              flow={flow.data?.edges ?? []}
            />
          </Card>
          <NeverTaken definition={definition} taken={new Set(edges.map(({ edge }) => edge))} />
        </div>
      </div>
    </>
  );
}
