"use client";
import { useQuery } from "@tanstack/react-query";
import type { ResourceRef } from "../paths";
import { Age } from "../time/age";
import { useTRPC } from "../trpc";
import { Card } from "../ui/card";
import { Panel } from "../ui/panel";

export function WarningEvents(ref: ResourceRef) {
  const events = useQuery(useTRPC().resource.events.queryOptions(ref));
  return (
    <Card title="Warnings" note="of it and of what it owns">
      <Panel query={events} empty={{ when: ({ events }) => events.length === 0, say: "No warning was seen." }}>
        {({ events }) => (
          <table>
            <thead>
              <tr>
                <th scope="col">what</th>
                <th scope="col" className="r">
                  first · last seen
                </th>
              </tr>
            </thead>
            <tbody>
              {events.map(({ id, reason, message, count, firstSeen, lastSeen, object }) => (
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
