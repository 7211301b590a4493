"use client";
import { useQuery } from "@tanstack/react-query";
import { useRouter, usePathname, useSearchParams } from "next/navigation";
import { useEffect, useRef } from "react";
import { useLiveRows } from "../live/live";
import type { ResourceRef } from "../paths";
import { announce } from "../shell/announcer";
import { useTRPC } from "../trpc";
import { Card } from "../ui/card";
import { Panel } from "../ui/panel";
import { CommandBar } from "./command-bar";
import { ConditionsTable } from "./conditions-table";
import { CopyMenu } from "./copy-menu";
import { LifecycleCard } from "./lifecycle-card";
import { ObjectYaml } from "./object-yaml";
import { OwnedObjects } from "./owned-objects";
import { PastNote } from "./past-note";
import { Say } from "./say";
import { Timeline } from "./timeline";
import { WarningEvents } from "./warning-events";
import { WaysOut } from "./ways-out";
import { KnownThen } from "./known-then";

/** Everything about one resource, in the order in which a person asks: what and why, what can I do, how did it come. */
export function ResourcePage(ref: ResourceRef) {
  const trpc = useTRPC();
  const got = useQuery(trpc.resource.get.queryOptions(ref));
  const explained = useQuery(trpc.resource.explain.queryOptions(ref));
  const history = useQuery(trpc.resource.history.queryOptions({ ...ref, limit: 100 }));
  const { past, setAt } = usePast(history.data?.transitions);
  useLiveRows("resource", [`${ref.kind}/${ref.namespace}/${ref.name}`]);
  useAnnounced(ref.name, got.data?.row.state);
  return (
    <>
      <Panel query={got} bones={4}>
        {(answer) => (
          <>
            <Say answer={answer} explained={explained.data} />
            <CommandBar resource={ref} answer={answer} isPast={past !== null} />
            {past && <PastNote transition={past} onNow={() => setAt(null)} />}
            <div className="grid">
              <div className="stack">
                {answer.lifecycles.map((lifecycle) => (
                  <LifecycleCard
                    key={lifecycle.lifecycle}
                    kind={ref.kind}
                    lifecycle={lifecycle}
                    waysOut={
                      explained.data?.lifecycles.find((one) => one.lifecycle === lifecycle.lifecycle)?.waysOut ?? []
                    }
                    transitions={history.data?.transitions ?? []}
                    past={past}
                    onAt={setAt}
                  />
                ))}
                <Card title="What happened" aside={<CopyMenu {...ref} />}>
                  <Timeline resource={ref} history={history} at={past?.id ?? null} onAt={setAt} />
                </Card>
                <ObjectYaml {...ref} />
              </div>
              <div className="stack">
                {past ? (
                  <KnownThen transition={past} />
                ) : (
                  <Card title="Ways out" note="the first that holds is taken">
                    <Panel query={explained}>{(answer) => <WaysOut explained={answer} />}</Panel>
                  </Card>
                )}
                <ConditionsTable conditions={answer.conditions} />
                <OwnedObjects {...ref} />
                <WarningEvents {...ref} />
              </div>
            </div>
          </>
        )}
      </Panel>
    </>
  );
}

/** `?at=` puts the page at a past transition, so that the link shows somebody else the same. */
function usePast<T extends { id: string }>(transitions: T[] | undefined) {
  const search = useSearchParams();
  const router = useRouter();
  const path = usePathname();
  const at = search.get("at");
  return {
    past: (at !== null && transitions?.find(({ id }) => id === at)) || null,
    setAt: (id: string | null) =>
      router.replace(id === null ? path : `${path}?at=${encodeURIComponent(id)}`, { scroll: false }),
  };
}

function useAnnounced(name: string, state: string | undefined) {
  const before = useRef(state);
  useEffect(() => {
    if (state !== undefined && before.current !== undefined && before.current !== state)
      announce(`${name} is now ${state}`);
    before.current = state;
  }, [name, state]);
}
