"use client";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import type { EventAnswer as Event, TransitionAnswer } from "../answers";
import type { ResourceRef } from "../paths";
import { Age } from "../time/age";
import { duration } from "../time/duration";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";

type Entry = { at: string; transition: TransitionAnswer } | { at: string; event: Event };
type Props = {
  resource: ResourceRef;
  history: Pick<UseQueryResult<{ transitions: TransitionAnswer[] }, { message: string }>, "data" | "error" | "refetch">;
  at: string | null;
  onAt: (id: string | null) => void;
};

const shownFirst = 12;

/** Transitions with their causes, and the warnings between them, newest first. */
export function Timeline({ resource, history, at, onAt }: Props) {
  const { data } = useQuery(useTRPC().resource.events.queryOptions(resource));
  const [isAll, setAll] = useState(false);
  return (
    <Panel
      query={history}
      empty={{
        when: ({ transitions }) => transitions.length === 0 && !data?.events.length,
        say: "Nothing has happened yet since Orrery looks at it.",
      }}
    >
      {({ transitions }) => {
        const entries: Entry[] = [
          ...transitions.map((transition) => ({ at: transition.at, transition })),
          ...(data?.events ?? []).map((event) => ({ at: event.firstSeen, event })),
        ].sort((a, b) => b.at.localeCompare(a.at));
        const shown = isAll ? entries : entries.slice(0, shownFirst);
        return (
          <>
            <div className="tl">
              {shown.map((entry) =>
                "event" in entry ? (
                  <Warned key={entry.event.id} event={entry.event} />
                ) : (
                  <Moved
                    key={entry.transition.id}
                    transition={entry.transition}
                    isAt={entry.transition.id === at}
                    onAt={onAt}
                  />
                ),
              )}
            </div>
            {entries.length > shown.length && (
              <button className="quiet" onClick={() => setAll(true)}>
                All {entries.length}
              </button>
            )}
          </>
        );
      }}
    </Panel>
  );
}

function Moved({
  transition,
  isAt,
  onAt,
}: {
  transition: TransitionAnswer;
  isAt: boolean;
  onAt: (id: string) => void;
}) {
  const { id, at, from, to, event, guard, flipped, actor, writes, dwellMs, error, actions, lifecycle } = transition;
  const isMove = from !== to;
  const said = [
    ...flipped.flatMap(({ evidence }) => evidence?.sentence ?? []),
    actor && `by ${actor}`,
    writes.length > 0 && `${writes.length} ${writes.length === 1 ? "write" : "writes"}`,
    dwellMs !== null && isMove && `after ${duration(dwellMs)} in ${from}`,
    error,
  ].filter(Boolean);
  return (
    <>
      <time dateTime={at} title={at}>
        <Age since={at} />
      </time>
      <span className={`mark ${error ? "bad" : isMove ? "busy" : "idle"}`} />
      <div
        className="what"
        style={isAt ? { background: "var(--brass-soft)", borderRadius: 8, paddingInline: 8 } : undefined}
      >
        {event !== "observed" && <b>{event} </b>}
        {isMove ? (
          <>
            {from} → <b>{to}</b>
          </>
        ) : (
          <span>{actions.join(", ") || `stays ${to}`}</span>
        )}
        {guard && <> because {guard}</>} <span className="ev">{lifecycle}</span>{" "}
        <button
          className="quiet"
          style={{ padding: "0 4px" }}
          aria-label={`Look at ${from} to ${to}, ${at}`}
          onClick={() => onAt(id)}
        >
          look
        </button>
        {said.length > 0 && <small>{said.join(" · ")}</small>}
      </div>
    </>
  );
}

function Warned({ event }: { event: Event }) {
  return (
    <>
      <time dateTime={event.firstSeen} title={event.firstSeen}>
        <Age since={event.firstSeen} />
      </time>
      <span className="mark warn" />
      <div className="what">
        {event.reason} on {event.object.kind} {event.object.name} {event.count > 1 && `×${event.count}`}
        <small>{event.message}</small>
      </div>
    </>
  );
}
