"use client";
import { useQuery } from "@tanstack/react-query";
import type { GetAnswer } from "../answers";
import type { ResourceRef } from "../paths";
import { useTRPC } from "../trpc";
import { Card } from "../ui/card";
import { Panel } from "../ui/panel";
import { CommandBar } from "./command-bar";
import { ConditionsTable } from "./conditions-table";
import { CopyMenu } from "./copy-menu";
import { KnownThen } from "./known-then";
import { LifecycleCard } from "./lifecycle-card";
import { ObjectYaml } from "./object-yaml";
import { PageGrid } from "./page-grid";
import { PastNote } from "./past-note";
import { SayThen } from "./say-then";
import { SeenThen } from "./seen-then";
import { Timeline } from "./timeline";
import type { History } from "./use-history";
import { WarningEvents } from "./warning-events";
import { WaysOut } from "./ways-out";

type Props = {
  resource: ResourceRef;
  /** Of the transition after which the page stands. */
  id: string;
  now: GetAnswer | undefined;
  history: History;
  onAt: (id: string | null) => void;
};

/** The whole page as it would have been right after a transition, from what was written down then. */
export function PastPage({ resource, id, now, history, onAt }: Props) {
  const past = useQuery(useTRPC().resource.asOf.queryOptions({ ...resource, id }));
  return (
    <>
      <PastNote transition={past.data?.transition ?? null} onNow={() => onAt(null)} />
      <Panel query={past} bones={4}>
        {({ transition, lifecycles, conditions, generation }) => (
          <>
            <SayThen
              name={resource.name}
              transition={transition}
              lifecycles={lifecycles}
              copy={<CopyMenu {...resource} />}
            />
            {now && <CommandBar resource={resource} answer={now} isPast />}
            <PageGrid
              diagrams={lifecycles.map((lifecycle) => (
                <LifecycleCard
                  key={lifecycle.lifecycle}
                  kind={resource.kind}
                  lifecycle={lifecycle}
                  transitions={history.transitions}
                  then={{ id, at: transition.at, edge: lifecycle.edge, left: lifecycle.left }}
                  onAt={onAt}
                />
              ))}
              ways={
                <Card title="How it was decided" note="by the rules, on what was known then" className="ways">
                  <WaysOut
                    lifecycles={lifecycles}
                    told={lifecycles.map(({ lifecycle, state, decidedIn, waysOut }) => ({
                      lifecycle,
                      state: decidedIn ?? state,
                      waysOut,
                    }))}
                  />
                </Card>
              }
              left={
                <>
                  <Card title="What happened" className="happened">
                    <Timeline resource={resource} history={history} at={transition} onAt={onAt} />
                  </Card>
                  <ObjectYaml {...resource} generation={generation} />
                </>
              }
              right={
                <>
                  <KnownThen transition={transition} />
                  <ConditionsTable conditions={conditions} />
                  <SeenThen transition={transition} />
                  <WarningEvents {...resource} until={transition.at} />
                </>
              }
            />
          </>
        )}
      </Panel>
    </>
  );
}
