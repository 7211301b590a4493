"use client";
import { useQuery } from "@tanstack/react-query";
import type { ResourceRef } from "../paths";
import { Age } from "../time/age";
import { useTRPC } from "../trpc";
import { Card } from "../ui/card";
import { Panel } from "../ui/panel";
import { sameEvents } from "./same-events";

/** `until` is the moment at which the page stands; null: now. */
export function WarningEvents({ until, ...ref }: ResourceRef & { until: string | null }) {
  const events = useQuery(useTRPC().resource.events.queryOptions(ref));
  const all = events.data?.events ?? [];
  const seen = sameEvents(all.filter(({ firstSeen }) => until === null || firstSeen <= until));
  return (
    <Card title="Warnings" note={until === null ? "of it and of what it owns" : "that had been seen by then"}>
      <Panel query={events} empty={{ when: () => seen.length === 0, say: "No warning was seen." }}>
        {() => (
          <table>
            <thead>
              <tr>
                <th scope="col">what</th>
                <th scope="col" className="r">
                  first · last
                </th>
              </tr>
            </thead>
            <tbody>
              {seen.map(({ id, reason, message, count, firstSeen, lastSeen, object }) => (
                <tr key={id}>
                  <td>
                    <b>{reason}</b> {count > 1 && `×${count}`}{" "}
                    <span className="ev">
                      {object.kind} {object.name}
                    </span>
                    <div className="ev">{message}</div>
                  </td>
                  <td className="r">
                    <Age since={firstSeen} /> · <Age since={lastSeen} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Panel>
    </Card>
  );
}
