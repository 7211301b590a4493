"use client";
import { useQuery } from "@tanstack/react-query";
import { useLiveState } from "../live/live";
import { Age } from "../time/age";
import { duration } from "../time/duration";
import { StatusPill } from "../tone/status-pill";
import { useTRPC } from "../trpc";
import { Card } from "../ui/card";
import { Panel } from "../ui/panel";
import { KeyChoice } from "./key-choice";
import { ThemeChoice } from "./theme-choice";

export function About() {
  const here = useQuery({ ...useTRPC().whoami.queryOptions(), refetchOnMount: "always" });
  const { mark } = useLiveState();
  return (
    <>
      <h1>About and settings</h1>
      <div className="section" />
      <div className="grid halves">
        <div className="stack">
          <Card title="You">
            <Panel query={here}>
              {({ name, groups, identity, expiresAt }) => (
                <table>
                  <tbody>
                    <Line what="name">{name}</Line>
                    <Line what="groups">{groups.join(", ") || "none"}</Line>
                    <Line what="known by">
                      {identity === "none" ? "nothing: everyone on this machine is let in" : identity}
                    </Line>
                    {expiresAt && <Line what="until">{expiresAt}</Line>}
                  </tbody>
                </table>
              )}
            </Panel>
            {here.data && here.data.identity !== "none" && (
              <button
                style={{ marginTop: 10 }}
                onClick={() => void fetch("/api/session", { method: "DELETE" }).then(() => location.assign("/sign-in"))}
              >
                Sign out
              </button>
            )}
          </Card>
          <Card title="Health">
            <Panel query={here}>
              {({ projection, staleMs, cluster, sandbox, version, versions }) => (
                <table>
                  <tbody>
                    <Line what="cluster">
                      {cluster}{" "}
                      {sandbox && (
                        <StatusPill tone="idle" slim>
                          sandbox
                        </StatusPill>
                      )}
                    </Line>
                    <Line what="worker">
                      {projection ? (
                        <>
                          {projection.lagMs > 10_000 ? (
                            <StatusPill tone="warn" slim>
                              {duration(projection.lagMs)} behind
                            </StatusPill>
                          ) : (
                            <StatusPill tone="good" slim>
                              up to date
                            </StatusPill>
                          )}{" "}
                          {projection.dropped > 0 && <span className="ev">{projection.dropped} passes were lost</span>}
                        </>
                      ) : (
                        <StatusPill tone="warn" slim>
                          has not written yet
                        </StatusPill>
                      )}
                    </Line>
                    <Line what="watch">
                      {projection ? (
                        <span className="ev">
                          the last change of the cluster was seen <Age since={projection.at} /> ago
                          {projection.buffered > 0 && `; ${projection.buffered} wait to be written`}
                        </span>
                      ) : (
                        <span className="ev">nothing was seen yet</span>
                      )}
                    </Line>
                    <Line what="database">
                      {staleMs > 0 ? (
                        <StatusPill tone="warn" slim>
                          silent for {duration(staleMs)}
                        </StatusPill>
                      ) : (
                        <StatusPill tone="good" slim>
                          answers
                        </StatusPill>
                      )}
                    </Line>
                    <Line what="this page">{mark}</Line>
                    <Line what="versions">
                      Orrery {versions.orrery} · Kubernetes {version} · Node {versions.node}
                    </Line>
                  </tbody>
                </table>
              )}
            </Panel>
          </Card>
        </div>
        <div className="stack">
          <Card title="Look">
            <ThemeChoice />
          </Card>
          <Card title="Keys">
            <KeyChoice />
          </Card>
        </div>
      </div>
    </>
  );
}

function Line({ what, children }: { what: string; children: React.ReactNode }) {
  return (
    <tr>
      <th scope="row" style={{ borderTop: "1px solid var(--line-2)", paddingTop: 6 }}>
        {what}
      </th>
      <td>{children}</td>
    </tr>
  );
}
