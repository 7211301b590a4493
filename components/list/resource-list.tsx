"use client";
import { useQuery } from "@tanstack/react-query";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { CommandDialog } from "../resource/command-dialog";
import { deedOf, type DeedName } from "../shell/key-map";
import { isTyping } from "../shell/shortcuts";
import { resourcePath } from "../paths";
import { useUsual } from "../time/use-usual";
import { useTRPC } from "../trpc";
import { Panel } from "../ui/panel";
import { BulkBar } from "./bulk-bar";
import { ListFilters } from "./list-filters";
import { ListHead } from "./list-head";
import { ListRow, type Asked } from "./list-row";
import { useList, type List } from "./use-list";
import { useSelection } from "./use-selection";

export function ResourceList({ kind }: { kind: string | null }) {
  const list = useList(kind);
  const { data: machines = [] } = useQuery(useTRPC().machines.list.queryOptions());
  const total = list.counts?.total;
  const title =
    kind === null ? "All resources" : (machines.find((machine) => machine.kind === kind)?.kindTitlePlural ?? kind);
  const moved = list.rows.filter(({ isGone }) => isGone).length;
  return (
    <>
      <h1>
        {title} {total !== undefined && <small className="ev">{total.toLocaleString("en")}</small>}
      </h1>
      <ListFilters list={list} kind={kind} />
      {list.hidden.length > 0 && (
        <p className="ev">
          You may not see every namespace of {list.hidden.join(", ")}; what you may not see is not counted.
        </p>
      )}
      {moved > 0 && (
        <p className="ev" role="status">
          {moved} moved on and no longer match; they stay until you refresh.{" "}
          <button className="quiet" onClick={list.refresh}>
            Refresh
          </button>
        </p>
      )}
      <Rows
        list={list}
        kind={kind}
        titleOf={(of) => (kind === null ? (machines.find((machine) => machine.kind === of)?.kindTitle ?? of) : null)}
      />
    </>
  );
}

type RowsProps = { list: List; kind: string | null; titleOf: (kind: string) => string | null };

function Rows({ list, kind, titleOf }: RowsProps) {
  const { rows, query } = list;
  const ids = rows.map(({ row }) => row.id);
  const selection = useSelection(ids);
  const usualOf = useUsual();
  const [asked, setAsked] = useState<Asked | null>(null);
  const at = useCursor(ids, selection.choose);
  const place = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => setTop(place.current?.offsetTop ?? 0), []);
  // The compiler of React cannot see into the virtualizer; nothing here is memoised by hand either.
  const virtual = useWindowVirtualizer({
    count: rows.length,
    // A row of two lines, as most are: what is measured then moves nothing.
    estimateSize: () => 45,
    overscan: 6,
    // Before the browser has measured anything, and on the server: as many as fill a screen.
    initialRect: { width: 1200, height: 900 },
    scrollMargin: top,
    getItemKey: (index) => ids[index] ?? index,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  useEffect(() => {
    if (last >= rows.length - 8 && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [last, rows.length, hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <>
      <div className="rows" role="table" aria-label="Resources" aria-rowcount={list.counts?.total ?? -1} ref={place}>
        <ListHead
          list={list}
          isAllOn={ids.length > 0 && ids.every(selection.has)}
          onSelectShown={() => selection.choose("shown")}
        />
        <div style={{ padding: rows.length ? 0 : "6px 16px" }}>
          <Panel
            query={query}
            bones={6}
            empty={{
              when: () => rows.length === 0,
              say: "Nothing matches. Take a filter away, or create something in the cluster.",
            }}
          >
            {() => (
              <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
                {items.map(({ index, start, key }) => {
                  const shown = rows[index];
                  if (!shown) return null;
                  const { row, isGone } = shown;
                  const { dwell, settled } = usualOf(row);
                  return (
                    <div
                      key={key}
                      data-index={index}
                      ref={virtual.measureElement}
                      style={{
                        position: "absolute",
                        insetInline: 0,
                        top: 0,
                        transform: `translateY(${start - top}px)`,
                      }}
                    >
                      <ListRow
                        row={row}
                        isGone={isGone}
                        isAt={at === row.id}
                        isOn={selection.has(row.id)}
                        kindTitle={titleOf(row.kind)}
                        dwell={dwell}
                        settled={settled}
                        onSelect={selection.choose}
                        onCommand={setAsked}
                      />
                    </div>
                  );
                })}
              </div>
            )}
          </Panel>
        </div>
      </div>
      {isFetchingNextPage && <p className="panel-note">More …</p>}
      <BulkBar list={list} selection={selection} kind={kind} rows={rows.map(({ row }) => row)} />
      {asked && <CommandDialog {...asked} onClose={() => setAsked(null)} />}
    </>
  );
}

/** Keys walk the rows, select, and open. */
function useCursor(ids: string[], choose: ReturnType<typeof useSelection>["choose"]): string | null {
  const [at, setAt] = useState<string | null>(null);
  const router = useRouter();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      const index = at === null ? -1 : ids.indexOf(at);
      const moves: Partial<Record<DeedName | "Enter", () => void>> = {
        next: () => setAt(ids[Math.min(ids.length - 1, index + 1)] ?? null),
        previous: () => setAt(ids[Math.max(0, index - 1)] ?? null),
        select: () => at !== null && choose({ toggled: at, extend: event.shiftKey }),
        Enter: () => {
          const [kind = "", namespace = "", name = ""] = at?.split("/") ?? [];
          if (at !== null && !(event.target instanceof HTMLButtonElement || event.target instanceof HTMLAnchorElement))
            router.push(resourcePath({ kind, namespace, name }));
        },
      };
      const deed = event.key === "Enter" ? "Enter" : deedOf(event);
      if (deed) moves[deed]?.();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [ids, at, choose, router]);
  useEffect(() => {
    if (at !== null) document.querySelector(`[data-row="${CSS.escape(at)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return at;
}
