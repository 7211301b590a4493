"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { EventAnswer as Event, TransitionAnswer } from "../answers";
import type { ResourceRef } from "../paths";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";
import { condensed } from "./condensed";
import { folded, type Told } from "./folded";
import { LongPast } from "./long-past";
import { sameEvents } from "./same-events";
import { ToldRow, Warned } from "./told-rows";
import type { History } from "./use-history";

type Entry = { at: string; ids: string[]; told: Told } | { at: string; event: Event };
type Props = {
  resource: ResourceRef;
  history: History;
  /** The transition at which the page stands; what came later is dimmed. */
  at: TransitionAnswer | null;
  onAt: (id: string | null) => void;
};

const shownFirst = 12;
const shownMore = 50;

/** Transitions with their causes, and the warnings between them, newest first; then all the time before at a glance. */
export function Timeline({ resource, history: { query, transitions }, at, onAt }: Props) {
  const { data } = useQuery(useTRPC().resource.events.queryOptions(resource));
  const [shown, setShown] = useState(shownFirst);
  const entries: Entry[] = [
    ...folded(condensed(transitions)).map(entryOf),
    ...sameEvents(data?.events ?? []).map((event) => ({ at: event.firstSeen, event })),
  ].sort((a, b) => b.at.localeCompare(a.at));
  // The moment that is looked at is in sight, however long ago it was.
  const index = at ? entries.findIndex((entry) => "ids" in entry && entry.ids.includes(at.id)) : -1;
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
                  <ToldRow key={entry.ids[0]} told={entry.told} at={at} onAt={onAt} />
                ),
              )}
          </ol>
          {hasMore && (
            <button
              className="quiet"
              onClick={() => {
                setShown(count + shownMore);
                if (entries.length <= count + shownMore && query.hasNextPage) void query.fetchNextPage();
              }}
            >
              {query.hasNextPage ? "More of what happened" : `All ${entries.length}`}
            </button>
          )}
          {query.hasNextPage && <LongPast resource={resource} at={at} onAt={onAt} />}
        </>
      )}
    </Panel>
  );
}

function entryOf(told: Told): Entry {
  const all = "all" in told ? told.all : [told.transition];
  return { at: all[0]?.at ?? "", ids: all.map(({ id }) => id), told };
}
