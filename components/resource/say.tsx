"use client";
import type { ExplainAnswer, GetAnswer } from "../answers";
import { Age } from "../time/age";
import { duration } from "../time/duration";
import { useNow } from "../time/now";
import { stayRatio, useUsual } from "../time/use-usual";
import { stateWords } from "../tone/state-words";
import { StatusPill } from "../tone/status-pill";

type Props = { answer: GetAnswer; explained: ExplainAnswer | undefined; copy: React.ReactNode };

/** What a person would say of it: what it is doing, for how long against what is usual, what it waits for, what comes next. */
export function Say({ answer, explained, copy }: Props) {
  const { row, lifecycles, deletingSince } = answer;
  const now = useNow();
  const usual = useUsual()(row);
  const ratio = stayRatio(row, usual, now);
  const isLate = ratio !== null && ratio > 1;
  const first = lifecycles[0];
  return (
    <>
      <h1>
        {row.name}
        <StatusPill tone={isLate && row.tone === "busy" ? "warn" : row.tone}>
          {stateWords(row)}
          {isLate && (usual.dwell ? " · over expectation" : " · for long")}
        </StatusPill>
        {deletingSince && <StatusPill tone="warn">being deleted</StatusPill>}
        <span className="space" />
        {copy}
      </h1>
      <p className="say">
        <b>{first?.summary}</b>, for{" "}
        <b>
          <Age since={row.since} parts={2} />
        </b>
        {usual.dwell &&
          !first?.settled &&
          `, usually ${duration(usual.dwell.p50Ms)} (p95 ${duration(usual.dwell.p95Ms)})`}
        .{first?.desired && <> Desired: {first.desired.state}.</>}
        {explained?.why && (
          <>
            <br />
            <span className={`cause ${row.tone === "bad" ? "bad" : ""}`}>{sentence(explained.why)}</span>
          </>
        )}
        {explained?.error && (
          <>
            <br />
            <span className="cause">The last look failed: {explained.error}</span>
          </>
        )}
        {explained?.looksAgainAt && now > 0 && Date.parse(explained.looksAgainAt) > now && (
          <> Next look in {duration(Math.max(1_000, Date.parse(explained.looksAgainAt) - now))}.</>
        )}
        {explained?.source === "stored" && <> The cluster does not answer: this is what was last read.</>}
        {explained?.unknown.map((said) => (
          <span key={said} className="ev">
            {" "}
            Not known: {said}.
          </span>
        ))}
      </p>
    </>
  );
}

function sentence(words: string): string {
  const said = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(said) ? said : `${said}.`;
}
