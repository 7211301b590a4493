"use client";
import { useState } from "react";
import type { Row } from "@/server/resources/row";
import { BulkDialog } from "./bulk-dialog";
import type { List } from "./use-list";
import type { useSelection } from "./use-selection";

type Props = { list: List; selection: ReturnType<typeof useSelection>; kind: string | null; rows: Row[] };

export function BulkBar({ list, selection, kind, rows }: Props) {
  const [command, setCommand] = useState<string | null>(null);
  const total = list.counts?.total ?? 0;
  const chosen = rows.filter(({ id }) => selection.has(id));
  if (chosen.length === 0) return null;
  const kinds = new Set(chosen.map((row) => row.kind));
  const commands = [...new Set(chosen.flatMap((row) => row.commands))];
  const of = selection.isAll
    ? { filter: list.params.filter }
    : { refs: chosen.map(({ kind, namespace, name }) => ({ kind, namespace, name })) };
  return (
    <div className="bulk" role="region" aria-label="Selection">
      <b>{selection.isAll ? total.toLocaleString("en") : chosen.length} selected</b>
      {!selection.isAll && total > chosen.length && (
        <button className="quiet" onClick={() => selection.choose("all")}>
          Select all {total.toLocaleString("en")} that match
        </button>
      )}
      <button className="quiet" onClick={() => selection.choose("none")}>
        Clear
      </button>
      <span className="space" />
      {kinds.size > 1 && kind === null && <span className="ev">several kinds: each answers for itself</span>}
      {commands.map((one) => (
        <button key={one} onClick={() => setCommand(one)}>
          {one}…
        </button>
      ))}
      {commands.length === 0 && <span className="ev">none of them allows a command now</span>}
      {command !== null && <BulkDialog command={command} of={of} onClose={() => setCommand(null)} />}
    </div>
  );
}
