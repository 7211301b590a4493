"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { EventAnswer as Event, TransitionAnswer } from "../answers";
import type { ResourceRef } from "../paths";
import { Age } from "../time/age";
import { duration } from "../time/duration";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";
import { condensed } from "./condensed";
import type { History } from "./use-history";

type Entry = { at: string; transition: TransitionAnswer } | { at: string; event: Event };
type Props = {
  resource: ResourceRef;
  history: History;
  /** The transition at which the page stands; what came later is dimmed. */
  at: TransitionAnswer | null;
  onAt: (id: string | null) => void;
};

const shownFirst = 12;

/** Transitions with their causes, and the warnings between them, newest first. */
export function Timeline({ resource, history: { query, transitions }, at, onAt }: Props) {
  const { data } = useQuery(useTRPC().resource.events.queryOptions(resource));
  const [shown, setShown] = useState(shownFirst);
  const entries: Entry[] = [
    ...condensed(transitions).map((transition) => ({ at: transition.at, transition })),
    ...(data?.events ?? []).map((event) => ({ at: event.firstSeen, event })),
  ].sort((a, b) => b.at.localeCompare(a.at));
  // The moment that is looked at is in sight, however long ago it was.
  const index = at ? entries.findIndex((entry) => "transition" in entry && entry.transition.id === at.id) : -1;
  const count = Math.max(shown, index + 3);
  const hasMore = entries.length > count || query.hasNextPage;
  return (
    <Panel
      query={query}
      empty={{ when: () => entries.length === 0, say: "Nothing has happened yet since Orrery looks at it." }}
    >
      {() => (
        <>
          <ol className="tl">
            {entries
              .slice(0, count)
              .map((entry) =>
                "event" in entry ? (
                  <Warned key={entry.event.id} event={entry.event} isLater={at !== null && entry.at > at.at} />
                ) : (
                  <Moved
                    key={entry.transition.id}
                    transition={entry.transition}
                    look={at === null ? "" : entry.transition.id === at.id ? "at" : entry.at > at.at ? "later" : ""}
                    onAt={onAt}
                  />
                ),
              )}
          </ol>
          {hasMore && (
            <button
              className="quiet"
              onClick={() => {
                setShown(count + 50);
                if (entries.length <= count + 50 && query.hasNextPage) void query.fetchNextPage();
              }}
            >
              {query.hasNextPage ? "More of what happened" : `All ${entries.length}`}
            </button>
          )}
        </>
      )}
    </Panel>
  );
}

type MovedProps = { transition: TransitionAnswer; look: "" | "at" | "later"; onAt: (id: string) => void };

function Moved({ transition, look, onAt }: MovedProps) {
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
    <li className={look}>
      <Age since={at} />
      <span className={`mark ${error ? "bad" : isMove ? "busy" : "idle"}`} />
      <div className="what">
        {event !== "observed" && <b>{event} </b>}
        {isMove ? (
          <>
            {from} → <b>{to}</b>
          </>
        ) : (
          <span>{actions.join(", ") || `stays ${to}`}</span>
        )}
        {guard && <> because {guard}</>} <span className="ev">{lifecycle}</span>{" "}
        <button className="quiet look" aria-label={`Look at ${from} to ${to}, ${at}`} onClick={() => onAt(id)}>
          look
        </button>
        {said.length > 0 && <small>{said.join(" · ")}</small>}
      </div>
    </li>
  );
}

function Warned({ event, isLater }: { event: Event; isLater: boolean }) {
  return (
    <li className={isLater ? "later" : ""}>
      <Age since={event.firstSeen} />
      <span className="mark warn" />
      <div className="what">
        {event.reason} on {event.object.kind} {event.object.name} {event.count > 1 && `×${event.count}`}
        <small>{event.message}</small>
      </div>
    </li>
  );
}
