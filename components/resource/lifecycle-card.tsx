"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ExplainAnswer, GetAnswer, MachineAnswer, TransitionAnswer } from "../answers";
import { drawMachine, type Here } from "../diagram/drawn-machine";
import { MachineDiagram } from "../diagram/machine-diagram";
import { machinePath } from "../paths";
import { duration } from "../time/duration";
import { useNow } from "../time/now";
import { useTRPC } from "../trpc";
import { Card } from "../ui/card";
import { Panel } from "../ui/panel";
import { TimeStrip } from "./time-strip";

type Ways = ExplainAnswer["lifecycles"][number]["waysOut"];
type Props = {
  kind: string;
  lifecycle: GetAnswer["lifecycles"][number];
  waysOut: Ways;
  transitions: TransitionAnswer[];
  past: TransitionAnswer | null;
  onAt: (id: string | null) => void;
};

/** The lifecycle as it stands: where it is, how it came there, which ways are open; and below, all the time before. */
export function LifecycleCard({ kind, lifecycle: now, waysOut, transitions, past, onAt }: Props) {
  const { lifecycle, title, state } = now;
  // The version of the machine that was in force then, so that an old transition is shown by the rules that made it.
  const then = past?.lifecycle === lifecycle ? past : null;
  const machine = useQuery(
    useTRPC().machines.get.queryOptions({
      kind,
      lifecycle,
      ...(then && then.machine !== now.machine && { hash: then.machine }),
    }),
  );
  const mine = transitions.filter((transition) => transition.lifecycle === lifecycle);
  const here = then ? hereThen(then) : hereNow(state, mine, waysOut);
  return (
    <Card
      title={title}
      note={
        <>
          {lifecycle} · <Link href={machinePath(kind, lifecycle)}>{(then?.machine ?? now.machine).slice(0, 7)}</Link>
        </>
      }
      aside={<span className="ev">{then ? "then" : "now"}</span>}
    >
      <Panel query={machine}>
        {(answer) => <Drawn answer={answer} here={here} since={then?.at ?? now.since} mine={mine} />}
      </Panel>
      <TimeStrip
        transitions={mine}
        nodes={machine.data?.definition.diagram.nodes ?? []}
        at={then?.id ?? null}
        onAt={onAt}
      />
    </Card>
  );
}

function Drawn({
  answer,
  here,
  since,
  mine,
}: {
  answer: MachineAnswer;
  here: Here;
  since: string | null;
  mine: TransitionAnswer[];
}) {
  const now = useNow();
  const { diagram } = answer.definition;
  const left = mine.find((transition) => transition.from !== transition.to);
  const subs = new Map(
    answer.states.map(({ state, dwell }) => {
      const usual = dwell ? `usually ${duration(dwell.p50Ms, 1)}` : "";
      if (state === here.state && since && now > 0) {
        const stay = duration(now - Date.parse(since), now - Date.parse(since) < 60_000 ? 1 : 2);
        return [
          state,
          dwell && !isSettled(answer, state) ? `${stay} · 95 % in ${duration(dwell.p95Ms, 1)}` : `for ${stay}`,
        ];
      }
      return [state, left?.from === state && now > 0 ? `left ${duration(now - Date.parse(left.at), 1)} ago` : usual];
    }),
  );
  if (!answer.layout) return <p className="panel-note">The picture of this older version was not kept.</p>;
  return (
    <MachineDiagram
      id={`${answer.kind}-${answer.lifecycle}`.replaceAll(".", "-")}
      diagram={diagram}
      layout={answer.layout}
      machine={drawMachine(diagram, subs, here)}
      label={`${answer.definition.title}, now ${here.state}`}
    />
  );
}

function isSettled(answer: MachineAnswer, state: string): boolean {
  return answer.definition.diagram.nodes.find(({ id }) => id === state)?.settled ?? false;
}

function hereNow(state: string, mine: TransitionAnswer[], ways: Ways): Here {
  const came = mine.find(({ from, to }) => from !== to && to === state);
  return {
    state,
    cameBy: came?.edge ?? null,
    open: new Set(ways.filter((way, index) => way.open && !isShadowed(ways, index)).map(({ edge }) => edge)),
    taken: ways.find(({ taken, self }) => taken && !self)?.edge ?? null,
  };
}

/** Open, but the first that holds is taken, and that one stands before. */
function isShadowed(ways: Ways, index: number): boolean {
  const taken = ways.findIndex((way) => way.taken);
  return taken >= 0 && index > taken && ways[index]?.event === ways[taken]?.event;
}

function hereThen({ to, edge }: TransitionAnswer): Here {
  return { state: to, cameBy: edge, open: new Set(), taken: null };
}
