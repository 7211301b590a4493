import type { QueryClient } from "@tanstack/react-query";
import type { Delta } from "@/server/live/fleet-changes";
import type { Page } from "@/server/resources/page-query";
import type { Row } from "@/server/resources/row";
import { listKey } from "../list/list-query";
import type { ResourceRef } from "../paths";
import type { useTRPC } from "../trpc";

type Trpc = ReturnType<typeof useTRPC>;
type Pages = { pages: Page[]; pageParams: unknown[] };

/** Puts what changed into every answer that is held, and asks again for what cannot be told from a row. */
export function applyDelta(queries: QueryClient, trpc: Trpc, delta: Delta): void {
  if (delta.reset) {
    void queries.invalidateQueries();
    return;
  }
  const changed = new Map(delta.rows.map((row) => [row.id, row]));
  if (changed.size > 0) {
    queries.setQueriesData<Page>(trpc.fleet.page.queryFilter(), (page) =>
      page && "rows" in page ? withRows(page, changed) : page,
    );
    queries.setQueriesData<Pages>({ queryKey: listKey }, (held) =>
      held && "pages" in held ? { ...held, pages: held.pages.map((page) => withRows(page, changed)) } : held,
    );
  }
  const touched = new Set([...changed.keys(), ...delta.gone]);
  if (touched.size > 0) askAgain(queries, touched);
  if (delta.counts || delta.elsewhere > 0 || touched.size > 0) askForCounts(queries, trpc);
}

function withRows(page: Page, changed: Map<string, Row>): Page {
  if (!page.rows.some(({ id }) => changed.has(id))) return page;
  return { ...page, rows: page.rows.map((row) => changed.get(row.id) ?? row) };
}

/** Nobody would answer: what is under way is given up, and what was to be asked is not. */
export function askNoMore(queries: QueryClient): void {
  clearTimeout(countsDue);
  countsDue = undefined;
  void queries.cancelQueries();
}

/** Everything that was asked about these resources, but for their past, which does not change. */
function askAgain(queries: QueryClient, ids: ReadonlySet<string>) {
  void queries.invalidateQueries({
    predicate: ({ queryKey: [path, asked] }) => {
      // As tRPC makes its keys: the path of the procedure, then what it was given.
      if (!Array.isArray(path) || path[0] !== "resource" || path[1] === "asOf") return false;
      const { kind, namespace, name } = (asked as { input?: Partial<ResourceRef> } | undefined)?.input ?? {};
      return ids.has([kind, namespace, name].join("/"));
    },
  });
}

let countsAt = 0;
let countsDue: ReturnType<typeof setTimeout> | undefined;
const countsEveryMs = 1_500;

/** Counts are of the whole fleet: however many changes come, they are asked for once in a while, and only where shown. */
function askForCounts(queries: QueryClient, trpc: Trpc) {
  if (countsDue) return;
  countsDue = setTimeout(
    () => {
      countsAt = Date.now();
      countsDue = undefined;
      void queries.invalidateQueries({ queryKey: trpc.machines.list.queryKey() });
      void queries.invalidateQueries({ predicate: ({ meta }) => meta?.["counts"] === true });
    },
    Math.max(0, countsAt + countsEveryMs - Date.now()),
  );
}
