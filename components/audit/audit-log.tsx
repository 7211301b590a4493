"use client";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { Tone } from "@/machines/lifecycle";
import { resourcePath } from "../paths";
import { Age } from "../time/age";
import { StatusPill } from "../tone/status-pill";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";
import { Link } from "../ui/link";
import { auditPage } from "./audit-page";

const tones: Record<string, Tone> = { accepted: "good", refused: "warn", running: "busy" };

export function AuditLog() {
  const log = useInfiniteQuery({
    ...useTRPC().commands.page.infiniteQueryOptions(...auditPage),
    staleTime: 0,
    // A command changes something; what changes the counts is a good time to look again.
    meta: { counts: true },
  });
  return (
    <section className="card scroll-x" aria-label="Audit log">
      <Panel
        query={log}
        bones={5}
        empty={{
          when: ({ pages }) => pages.every(({ commands }) => commands.length === 0),
          say: "Nobody has asked for anything yet.",
        }}
      >
        {({ pages }) => (
          <table>
            <thead>
              <tr>
                <th scope="col">when</th>
                <th scope="col">who</th>
                <th scope="col">asked for</th>
                <th scope="col">answer</th>
                <th scope="col">what came of it</th>
              </tr>
            </thead>
            <tbody>
              {pages
                .flatMap(({ commands }) => commands)
                .map(({ id, at, actor, command, args, outcome, sentence, reason, stateBefore, bulkId, ...ref }) => (
                  <tr key={id}>
                    <td style={{ whiteSpace: "nowrap" }}>
                      <Age since={at} />
                    </td>
                    <td>{actor}</td>
                    <td>
                      <b>{command}</b>{" "}
                      <Link href={resourcePath(ref)}>
                        <u>{ref.name}</u>
                      </Link>
                      <div className="ev">
                        {ref.namespace}
                        {Object.keys(args).length > 0 && ` · ${JSON.stringify(args)}`}
                        {bulkId && " · with others"}
                      </div>
                    </td>
                    <td>
                      <StatusPill tone={tones[outcome] ?? "idle"} slim>
                        {outcome}
                      </StatusPill>
                    </td>
                    <td>
                      {sentence}
                      <div className="ev">
                        {stateBefore && `it was ${stateBefore}`}
                        {reason && ` · ${reason}`}
                      </div>
                    </td>
                  </tr>
                ))}
            </tbody>
          </table>
        )}
      </Panel>
      {log.hasNextPage && (
        <button className="quiet" onClick={() => void log.fetchNextPage()}>
          Older ones
        </button>
      )}
    </section>
  );
}
