"use client";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ExplainAnswer, GetAnswer, MachineAnswer, TransitionAnswer } from "../answers";
import type { Here } from "../diagram/drawn-machine";
import { MachineDiagram } from "../diagram/machine-diagram";
import { machinePath } from "../paths";
import { duration } from "../time/duration";
import { useNow } from "../time/now";
import { useTRPC } from "../trpc";
import { Card } from "../ui/card";
import { Panel } from "../ui/panel";
import { Link } from "../ui/link";
import { whyShut } from "./guard-view";
import { TimeStrip } from "./time-strip";

type Ways = ExplainAnswer["lifecycles"][number]["waysOut"];
type Lifecycle = GetAnswer["lifecycles"][number];
/** The past moment at which the lifecycle is shown, and how it had come where it was. */
type Then = { id: string; at: string; edge: string | null; left: string | null };
type Props = {
  kind: string;
  lifecycle: Lifecycle;
  ways?: Ways;
  transitions: TransitionAnswer[];
  then?: Then;
  onAt: (id: string | null) => void;
};

/** The lifecycle as it stands: where it is, how it came there, which ways are open; and below, all the time before. */
export function LifecycleCard({ kind, lifecycle: shown, ways = [], transitions, then, onAt }: Props) {
  const { lifecycle, title, state, machine: hash } = shown;
  // The version of the machine that was in force then, so that an old transition is shown by the rules that made it.
  const machine = useQuery(useTRPC().machines.get.queryOptions({ kind, lifecycle, ...(then && { hash }) }));
  const mine = transitions.filter((transition) => transition.lifecycle === lifecycle);
  const here = then ? hereThen(state, then) : hereNow(state, mine, ways);
  return (
    <Card
      title={title}
      note={
        <>
          {lifecycle} · <Link href={machinePath(kind, lifecycle)}>{hash.slice(0, 7)}</Link>
        </>
      }
      aside={<span className="ev">{then ? "then" : <Now {...shown} />}</span>}
    >
      <Panel query={machine}>
        {(answer) => <Drawn answer={answer} here={here} since={shown.since} moment={then?.at ?? null} mine={mine} />}
      </Panel>
      <TimeStrip
        lifecycle={shown}
        transitions={mine}
        nodes={machine.data?.definition.diagram.nodes ?? []}
        at={then ?? null}
        onAt={onAt}
      />
    </Card>
  );
}

/** Where it is to come to beside where it is: the same word twice means that it has come there. */
function Now({ state, desired }: Pick<Lifecycle, "state" | "desired">) {
  if (!desired) return "now";
  return (
    <>
      now <b>{state}</b>, desired <b>{desired.state}</b>
    </>
  );
}

type DrawnProps = {
  answer: MachineAnswer;
  here: Here;
  since: string | null;
  moment: string | null;
  mine: TransitionAnswer[];
};

function Drawn({ answer, here, since, moment, mine }: DrawnProps) {
  const clock = useNow();
  const now = moment === null ? clock : Date.parse(moment);
  const left = mine.find(({ from, to, at }) => from !== to && (moment === null || at <= moment));
  const subOf = ({ state, dwell }: MachineAnswer["states"][number]): string => {
    if (state === here.state && since && now > 0) return staying(answer, state, now - Date.parse(since), dwell);
    if (left?.from === state && now > 0) return `left ${duration(now - Date.parse(left.at), 1)} ago`;
    return dwell ? `usually ${duration(dwell.p50Ms, 1)}` : "";
  };
  // The same words are the same map, so that a second that changes none of them draws nothing.
  const said = JSON.stringify(answer.states.map((one) => [one.state, subOf(one)]));
  const subs = useMemo(() => new Map(JSON.parse(said) as [state: string, sub: string][]), [said]);
  return (
    <MachineDiagram
      id={`${answer.kind}-${answer.lifecycle}`.replaceAll(".", "-")}
      diagram={answer.definition.diagram}
      layout={answer.layout}
      folded={answer.folded}
      subs={subs}
      at={here}
      label={`${answer.definition.title}, ${moment === null ? "now" : "then"} ${here.state}`}
    />
  );
}

function staying(answer: MachineAnswer, state: string, ms: number, dwell: { p95Ms: number } | null): string {
  const isSettled = answer.definition.diagram.nodes.find(({ id }) => id === state)?.settled ?? false;
  return dwell && !isSettled ? `${duration(ms, 1)} · p95 ${duration(dwell.p95Ms, 1)}` : `for ${duration(ms, 1)}`;
}

function hereNow(state: string, mine: TransitionAnswer[], ways: Ways): Here {
  const came = mine.find(({ from, to }) => from !== to && to === state);
  return {
    state,
    cameBy: came?.edge ?? null,
    cameFrom: came?.from ?? null,
    open: new Set(ways.filter((way, index) => way.open && !isShadowed(ways, index)).map(({ edge }) => edge)),
    taken: ways.find(({ taken, self }) => taken && !self)?.edge ?? null,
    why: new Map(ways.flatMap(({ edge, open, guard }) => (open || !guard ? [] : [[edge, whyShut(guard)]]))),
  };
}

/** Open, but the first that holds is taken, and that one stands before. */
function isShadowed(ways: Ways, index: number): boolean {
  const taken = ways.findIndex((way) => way.taken);
  return taken >= 0 && index > taken && ways[index]?.event === ways[taken]?.event;
}

function hereThen(state: string, { edge, left }: Then): Here {
  return { state, cameBy: edge, cameFrom: left, open: new Set(), taken: null, why: new Map() };
}
