"use client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLiveRows } from "../live/live";
import type { ResourceRef } from "../paths";
import { announce } from "../shell/announcer";
import { statusOf } from "../query-client";
import { useTRPC } from "../trpc";
import { Card } from "../ui/card";
import { Panel } from "../ui/panel";
import { CommandBar } from "./command-bar";
import { ConditionsTable } from "./conditions-table";
import { CopyMenu } from "./copy-menu";
import { LifecycleCard } from "./lifecycle-card";
import { ObjectYaml } from "./object-yaml";
import { NotThere } from "./not-there";
import { OwnedObjects } from "./owned-objects";
import { PageGrid } from "./page-grid";
import { PastPage } from "./past-page";
import { Say } from "./say";
import { Timeline } from "./timeline";
import { useAt } from "./use-at";
import { useHistory } from "./use-history";
import { WarningEvents } from "./warning-events";
import { WaysOut } from "./ways-out";

/** Everything about one resource, in the order in which a person asks: what and why, what can I do, how did it come. */
export function ResourcePage(ref: ResourceRef) {
  const trpc = useTRPC();
  const got = useQuery(trpc.resource.get.queryOptions(ref));
  const explained = useQuery(trpc.resource.explain.queryOptions(ref));
  const history = useHistory(ref);
  const [at, setAt] = useAt();
  useLiveRows("resource", [`${ref.kind}/${ref.namespace}/${ref.name}`]);
  useAnnounced(ref.name, got.data?.row);
  if (at !== null) return <PastPage resource={ref} id={at} now={got.data} history={history} onAt={setAt} />;
  if (got.error && !got.data && statusOf(got.error) === 404) return <NotThere {...ref} said={got.error.message} />;
  return (
    <Panel query={got} bones={4}>
      {(answer) => (
        <>
          <Say answer={answer} explained={explained.data} copy={<CopyMenu {...ref} />} />
          <CommandBar resource={ref} answer={answer} isPast={false} />
          <PageGrid
            diagrams={answer.lifecycles.map((lifecycle) => (
              <LifecycleCard
                key={lifecycle.lifecycle}
                kind={ref.kind}
                lifecycle={lifecycle}
                ways={explained.data?.lifecycles.find((one) => one.lifecycle === lifecycle.lifecycle)?.waysOut ?? []}
                transitions={history.transitions}
                onAt={setAt}
              />
            ))}
            ways={
              <Card title="Ways out" note="the first that holds is taken" className="ways">
                <Panel query={explained}>
                  {({ lifecycles }) => <WaysOut told={lifecycles} lifecycles={answer.lifecycles} />}
                </Panel>
              </Card>
            }
            left={
              <>
                <Card title="What happened" className="happened">
                  <Timeline resource={ref} history={history} at={null} onAt={setAt} />
                </Card>
                <ObjectYaml {...ref} generation={null} />
              </>
            }
            right={
              <>
                <ConditionsTable conditions={answer.conditions} />
                <OwnedObjects {...ref} />
                <WarningEvents {...ref} until={null} />
              </>
            }
          />
        </>
      )}
    </Panel>
  );
}

/** By its time as well: a state that was left and come back to between two looks is news. */
function useAnnounced(name: string, row: { state: string; since: string | null } | undefined) {
  const { state, since } = row ?? {};
  const before = useRef(row);
  useEffect(() => {
    if (state === undefined || since === undefined) return;
    const { current } = before;
    if (current && (current.state !== state || current.since !== since)) announce(`${name} is now ${state}`);
    before.current = { state, since };
  }, [name, state, since]);
}
