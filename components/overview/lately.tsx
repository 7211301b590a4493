"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useLiveRows } from "../live/live";
import { resourcePath } from "../paths";
import { Age } from "../time/age";
import { StatusPill } from "../tone/status-pill";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";
import { latelyQuery } from "./overview-queries";

export function Lately() {
  const lately = useQuery({ ...useTRPC().fleet.page.queryOptions(latelyQuery), meta: { counts: true } });
  useLiveRows(
    "lately",
    (lately.data?.rows ?? []).map(({ id }) => id),
  );
  return (
    <>
      <h2 className="section">Lately</h2>
      <section className="card" aria-label="Lately">
        <Panel query={lately} empty={{ when: ({ rows }) => rows.length === 0, say: "Nothing has happened yet." }}>
          {({ rows }) =>
            rows.map((row) => (
              <Link key={row.id} className="lately" href={resourcePath(row)}>
                <span className="ev">
                  <Age since={row.since} />
                </span>
                <span>
                  <b>{row.name}</b> <span className="ev">{row.namespace}</span>
                </span>
                <span>
                  <StatusPill tone={row.tone} slim>
                    {row.state}
                  </StatusPill>
                </span>
                <span className="ev">{row.sentence}</span>
              </Link>
            ))
          }
        </Panel>
      </section>
    </>
  );
}
