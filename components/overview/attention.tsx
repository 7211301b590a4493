"use client";
import { useQuery } from "@tanstack/react-query";
import type { Row } from "@/server/resources/row";
import { useLiveRows } from "../live/live";
import { resourcePath } from "../paths";
import { Age } from "../time/age";
import { useNow } from "../time/now";
import { stayRatio, useUsual } from "../time/use-usual";
import { stateWords } from "../tone/state-words";
import { StatusPill } from "../tone/status-pill";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";
import { Link } from "../ui/link";
import { attentionQuery, underWayQuery } from "./overview-queries";

/** What wants a person, one sentence each; then how the rest is doing. */
export function Attention() {
  const trpc = useTRPC();
  const wrong = useQuery({ ...trpc.fleet.page.queryOptions(attentionQuery), meta: { counts: true } });
  const underWay = useQuery({ ...trpc.fleet.page.queryOptions(underWayQuery), meta: { counts: true } });
  const now = useNow();
  const busy = underWay.data?.rows ?? [];
  const usualOf = useUsual();
  const late = busy.filter((row) => (stayRatio(row, usualOf(row), now) ?? 0) > 1 || row.error !== null);
  const rows = [...(wrong.data?.rows ?? []), ...late];
  useLiveRows(
    "attention",
    [...rows, ...busy].map(({ id }) => id),
  );
  const counts = wrong.data?.counts;
  // Tones count the whole fleet, whatever the filter's own tones are.
  const tones = counts?.tones ?? {};
  const total = Object.values(tones).reduce((sum, count) => sum + count, 0);
  const many = (tones.bad ?? 0) + (tones.warn ?? 0) + late.length;
  return (
    <>
      <h1>{counts ? headline(many, total) : "Looking around …"}</h1>
      {counts && total > 0 && (
        <p className="say">
          {((tones.good ?? 0) + (tones.idle ?? 0)).toLocaleString("en")} of {total.toLocaleString("en")} resources are
          where they should be.
          {(tones.busy ?? 0) - late.length > 0 && ` ${(tones.busy ?? 0) - late.length} on their way, on time.`}
        </p>
      )}
      <div style={{ height: 16 }} />
      <Panel query={wrong} bones={2}>
        {() =>
          rows.length > 0 && (
            <section className="card" aria-label="What wants you">
              {rows.slice(0, shown).map((row) => (
                <Want key={row.id} row={row} isLate={late.includes(row)} />
              ))}
              {many > shown && (
                <p className="ev">
                  <Link href="/all?tone=bad&tone=warn">All {many.toLocaleString("en")} of them</Link>
                </p>
              )}
            </section>
          )
        }
      </Panel>
    </>
  );
}

const shown = 12;

function Want({ row, isLate }: { row: Row; isLate: boolean }) {
  return (
    <Link className="att" href={resourcePath(row)}>
      <StatusPill tone={isLate && row.tone === "busy" ? "warn" : row.tone}>{stateWords(row)}</StatusPill>
      <span>
        <b>{row.name}</b> <span className="why">{row.error ?? row.reason ?? row.sentence}</span>
      </span>
      <span className="since">
        <Age since={row.since} />
      </span>
    </Link>
  );
}

const words = [
  "Nothing wants you",
  "One thing wants you",
  "Two things want you",
  "Three things want you",
  "Four things want you",
  "Five things want you",
];

function headline(many: number, total: number): string {
  if (total === 0) return "Nothing is here yet";
  return words[many] ?? `${many.toLocaleString("en")} things want you`;
}
