"use client";
import { memo } from "react";
import type { Row } from "@/server/resources/row";
import { resourcePath } from "../paths";
import { Age } from "../time/age";
import { duration } from "../time/duration";
import { useNow } from "../time/now";
import { stayRatio, type Usual } from "../time/use-usual";
import { stateWords } from "../tone/state-words";
import { StatusPill } from "../tone/status-pill";
import { Link } from "../ui/link";

/** A command that was asked for in a row. */
export type Asked = { kind: string; namespace: string; name: string; command: string };

type Props = {
  row: Row;
  isAt: boolean;
  isOn: boolean;
  isGone: boolean;
  /** Said where there are several kinds. */
  kindTitle: string | null;
  dwell: Usual["dwell"];
  settled: boolean;
  onSelect: (step: { toggled: string; extend: boolean }) => void;
  onCommand: (asked: Asked) => void;
};

/** Drawn again only when something of it has changed: what goes on by itself, the time, is a part of its own. */
export const ListRow = memo(function ListRow({ row, isAt, isOn, isGone, kindTitle, ...rest }: Props) {
  const { dwell, settled, onSelect, onCommand } = rest;
  const { id, kind, namespace, name } = row;
  const usual = { dwell, settled };
  return (
    <div
      className={`row${isAt ? " at" : ""}${isOn ? " on" : ""}${isGone ? " gone" : ""}`}
      role="row"
      aria-selected={isOn}
      data-row={id}
    >
      <span role="cell">
        <input
          type="checkbox"
          aria-label={`Select ${name}`}
          checked={isOn}
          onChange={({ nativeEvent }) =>
            onSelect({ toggled: id, extend: nativeEvent instanceof MouseEvent && nativeEvent.shiftKey })
          }
        />
      </span>
      <span className="state-cell" role="cell">
        <State row={row} usual={usual} />
      </span>
      <span className="name" role="cell">
        <Link href={resourcePath(row)}>{name}</Link>
        <small>
          {namespace}
          {kindTitle !== null && ` · ${kindTitle}`}
          {isGone && " · moved on"}
        </small>
      </span>
      <span className="why" role="cell" title={row.sentence}>
        {row.error ?? row.sentence}
      </span>
      <span className="since" role="cell">
        <Age since={row.since} parts={2} />
        <Dwell row={row} usual={usual} />
      </span>
      <span className="acts" role="cell">
        {row.commands.slice(0, 2).map((command) => (
          <button key={command} onClick={() => onCommand({ kind, namespace, name, command })}>
            {command}…
          </button>
        ))}
      </span>
    </div>
  );
});

type Stayed = { row: Row; usual: Usual };

function State({ row, usual }: Stayed) {
  const { isLate, usually } = useStay(row, usual);
  return (
    <StatusPill tone={isLate && row.tone === "busy" ? "warn" : row.tone} slim title={usually ?? ""}>
      {stateWords(row)}
    </StatusPill>
  );
}

function Dwell({ row, usual }: Stayed) {
  const { ratio, isLate, usually } = useStay(row, usual);
  if (ratio === null) return null;
  return (
    <span className={`dwell ${isLate ? "warn" : "busy"}`} title={usually} style={{ display: "block" }}>
      <i style={{ width: `${Math.min(100, Math.round(ratio * 100))}%` }} />
    </span>
  );
}

function useStay(row: Row, usual: Usual) {
  const ratio = stayRatio(row, usual, useNow());
  const { dwell } = usual;
  const usually = dwell ? `usually ${duration(dwell.p50Ms)}, 95 of 100 within ${duration(dwell.p95Ms)}` : undefined;
  return { ratio, isLate: ratio !== null && ratio > 1, usually };
}
