import { stateMetaOf } from "@/machines/lifecycle";
import type { Kind } from "@/machines/kind";
import { visibleTo } from "./access";
import type { LatelyAnswer } from "./history-answers";
import type { Asked } from "./context";
import type { Visible } from "./page-filter";
import { transitionColumns, transitionOf, type StoredTransition } from "./history";
import { refOf } from "./ref";

type Stored = StoredTransition & { resourceId: string };

/** What moved last, of all that the caller may list. What a composed lifecycle tells is not told again by its parts. */
export async function lately(asked: Asked, limit: number): Promise<LatelyAnswer[]> {
  const visible = await visibleTo(asked, asked.identity);
  const told = Object.entries(asked.kinds).flatMap(([id, kind]) =>
    toldBy(kind).map((lifecycle) => `${id} ${lifecycle}`),
  );
  const rows = await asked.database.query<Stored>(
    `SELECT "resourceId", ${transitionColumns} FROM "Transition"
     WHERE "from" <> "to" AND "kind" || ' ' || "lifecycle" = ANY($1::text[])
       AND ("kind" = ANY($2::text[]) OR "kind" || '/' || split_part("resourceId", '/', 2) = ANY($3::text[]))
     ORDER BY "Transition"."id" DESC LIMIT $4`,
    [told, everywhere(visible), namespaced(visible), limit],
  );
  return rows.map(({ resourceId, ...stored }) => {
    const ref = refOf(resourceId);
    const { machine } = asked.kinds[ref.kind]?.lifecycles[stored.lifecycle] ?? {};
    const tone = machine ? stateMetaOf(machine, stored.to).tone : ("idle" as const);
    const { id, at, lifecycle, from, to, event, guard, actor, dwellMs } = transitionOf(stored);
    return {
      ...ref,
      kindTitle: asked.kinds[ref.kind]?.title ?? "",
      id,
      at,
      lifecycle,
      from,
      to,
      tone,
      event,
      guard,
      actor,
      dwellMs,
    };
  });
}

function toldBy({ lifecycles }: Kind): string[] {
  const parts = new Set(Object.values(lifecycles).flatMap(({ composedOf = [] }) => composedOf));
  return Object.keys(lifecycles).filter((name) => !parts.has(name));
}

function everywhere(visible: Visible): string[] {
  return Object.keys(visible).filter((kind) => visible[kind] === "everywhere");
}

function namespaced(visible: Visible): string[] {
  return Object.entries(visible).flatMap(([kind, where]) =>
    where === "everywhere" ? [] : where.map((namespace) => `${kind}/${namespace}`),
  );
}
