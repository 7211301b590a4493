"use client";
import type { Row } from "@/server/resources/row";
import { resourcePath } from "../paths";
import { Age } from "../time/age";
import { duration } from "../time/duration";
import { StatusPill } from "../tone/status-pill";
import { Link } from "../ui/link";

type Props = {
  row: Row;
  isAt: boolean;
  isOn: boolean;
  isGone: boolean;
  /** Said where there are several kinds. */
  kindTitle: string | null;
  stay: { usual: { p50Ms: number; p95Ms: number } | null; ratio: number | null };
  onSelect: (extend: boolean) => void;
  onCommand: (command: string) => void;
};

export function ListRow({ row, isAt, isOn, isGone, kindTitle, stay, onSelect, onCommand }: Props) {
  const { ratio, usual } = stay;
  const isLate = ratio !== null && ratio > 1;
  const tone = isLate && row.tone === "busy" ? "warn" : row.tone;
  const usually = usual ? `usually ${duration(usual.p50Ms)}, 95 of 100 within ${duration(usual.p95Ms)}` : undefined;
  return (
    <div
      className={`row${isAt ? " at" : ""}${isOn ? " on" : ""}${isGone ? " gone" : ""}`}
      role="row"
      aria-selected={isOn}
      data-row={row.id}
    >
      <span role="cell">
        <input
          type="checkbox"
          aria-label={`Select ${row.name}`}
          checked={isOn}
          onChange={(event) => onSelect(event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
        />
      </span>
      <span className="state-cell" role="cell">
        <StatusPill tone={tone} slim title={usually ?? ""}>
          {row.state}
        </StatusPill>
      </span>
      <span className="name" role="cell">
        <Link href={resourcePath(row)}>{row.name}</Link>
        <small>
          {row.namespace}
          {kindTitle !== null && ` · ${kindTitle}`}
          {isGone && " · moved on"}
        </small>
      </span>
      <span className="why" role="cell" title={row.sentence}>
        {row.error ?? row.sentence}
      </span>
      <span className="since" role="cell">
        <Age since={row.since} parts={2} />
        {ratio !== null && (
          <span className={`dwell ${isLate ? "warn" : "busy"}`} title={usually} style={{ display: "block" }}>
            <i style={{ width: `${Math.min(100, Math.round(ratio * 100))}%` }} />
          </span>
        )}
      </span>
      <span className="acts" role="cell">
        {row.commands.slice(0, 2).map((command) => (
          <button key={command} onClick={() => onCommand(command)}>
            {command}…
          </button>
        ))}
      </span>
    </div>
  );
}
