"use client";
import { useQuery } from "@tanstack/react-query";
import type { Tone } from "@/machines/lifecycle";
import { SmallDiagram } from "../diagram/small-diagram";
import { kindPath, machinePath } from "../paths";
import { StatusPill } from "../tone/status-pill";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";
import { Link } from "../ui/link";

/** Every lifecycle as a small statechart, with how many resources are in each state. */
export function MachineCards({ hrefs }: { hrefs: "list" | "machine" }) {
  const trpc = useTRPC();
  const machines = useQuery(trpc.machines.list.queryOptions());
  const pictures = useQuery(trpc.machines.pictures.queryOptions());
  return (
    <>
      <h2 className="section">
        Every lifecycle, now{" "}
        <small>
          {machines.data && `${machines.data.length} machines · `}a number is how many resources are in that state
        </small>
      </h2>
      <Panel
        query={{ ...machines, data: pictures.data && machines.data, error: machines.error ?? pictures.error }}
        empty={{ when: (list) => list.length === 0, say: "There is no machine." }}
      >
        {(list) => (
          <div className="small-cards">
            {list.map(({ kind, lifecycle, kindTitle, total, states, hash }, index) => (
              <section
                key={`${kind} ${lifecycle}`}
                className={(pictures.data?.[hash]?.width ?? 0) > wideFrom ? "card wide" : "card"}
                aria-label={`${kindTitle}, ${lifecycle}`}
              >
                <header>
                  <h2>
                    <Link href={hrefs === "list" ? kindPath(kind) : machinePath(kind, lifecycle)}>{kindTitle}</Link>
                    <small>
                      {lifecycle} · {total.toLocaleString("en")}
                    </small>
                  </h2>
                </header>
                <StateCounts states={states} hrefOf={(state) => hrefOf(list, { kind, lifecycle, state, hrefs })} />
                {pictures.data?.[hash] && (
                  <SmallDiagram
                    id={`small-${index}`}
                    layout={pictures.data[hash]}
                    states={states}
                    label={`${kindTitle}, ${lifecycle}`}
                    hrefOf={(state) => hrefOf(list, { kind, lifecycle, state, hrefs })}
                  />
                )}
              </section>
            ))}
          </div>
        )}
      </Panel>
    </>
  );
}

type Counted = { state: string; tone: Tone; count: number };

/** In place of a picture that is too wide for a narrow screen: the states that hold something. */
function StateCounts({ states, hrefOf }: { states: Counted[]; hrefOf: (state: string) => string }) {
  const held = states.filter(({ count }) => count > 0);
  return (
    <p className="state-counts">
      {held.map(({ state, tone, count }) => (
        <Link key={state} href={hrefOf(state)}>
          <StatusPill tone={tone}>
            {state} {count.toLocaleString("en")}
          </StatusPill>
        </Link>
      ))}
      <span className="ev">
        {held.length > 0 ? `${states.length - held.length} other states hold none` : "no state holds any"}
      </span>
    </p>
  );
}

type Place = { kind: string; lifecycle: string };

function hrefOf(
  list: Place[],
  { kind, lifecycle, state, hrefs }: Place & { state: string; hrefs: "list" | "machine" },
): string {
  if (hrefs === "machine") return machinePath(kind, lifecycle);
  return `${kindPath(kind)}?state=${encodeURIComponent(isFirst(list, kind, lifecycle) ? state : `${lifecycle}=${state}`)}`;
}

/** A picture wider than this would be too small to read in a card of the usual width. */
const wideFrom = 440;

/** The state of the first lifecycle is the row's own; any other is named with its lifecycle. */
function isFirst(list: Place[], kind: string, lifecycle: string): boolean {
  return list.find((one) => one.kind === kind)?.lifecycle === lifecycle;
}
