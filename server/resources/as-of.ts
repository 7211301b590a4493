import { contentHash } from "@/machines/content-hash";
import { explain } from "@/machines/explain";
import type { Kind } from "@/machines/kind";
import { metaOf, stateMetaOf } from "@/machines/lifecycle";
import type { AsOfAnswer, TransitionAnswer } from "./history-answers";
import { kindOf, type Asked } from "./context";
import { wayOf } from "./explain";
import { conditionsSchema, mustRead } from "./get";
import { transitionColumns, transitionOf, type StoredTransition } from "./history";
import { cursorNumber } from "./number-cursor";
import { idOf, type Ref } from "./ref";
import { Refused } from "./refusal";

/** A resource as it was right after a transition: where every lifecycle stood, and what was known and decided there. */
export async function asOf(asked: Asked, ref: Ref, id: string): Promise<AsOfAnswer> {
  await mustRead(asked, ref);
  const kind = kindOf(asked, ref.kind);
  // The lifecycles of one pass are numbered one after the other; times may be equal, numbers never are.
  const [stored] = await asked.database.query<StoredAsOf>(
    `SELECT ${transitionColumns}, "generation", "conditions",
       (SELECT max(s."id") FROM "Transition" s WHERE s."pass" = "Transition"."pass")::text AS "last"
     FROM "Transition" WHERE "resourceId" = $1 AND "id" = $2`,
    [idOf(ref), cursorNumber(id)],
  );
  if (!stored) throw new Refused("not found", "This transition is not kept, or never was of this resource.");
  const { generation, conditions, last: upTo, ...rest } = stored;
  const transition = transitionOf(rest);
  const [last, moved, next] = await Promise.all([
    eachLifecycle(asked, ref, `"id" <= $2`, upTo, "DESC"),
    eachLifecycle(asked, ref, `"id" <= $2 AND "from" <> "to"`, upTo, "DESC"),
    eachLifecycle(asked, ref, `"id" > $2`, upTo, "ASC"),
  ]);
  return {
    transition,
    generation,
    conditions: conditionsSchema.parse(conditions),
    lifecycles: Object.keys(kind.lifecycles).flatMap((name) => {
      const known = name === transition.lifecycle ? transition : last.get(name);
      const state = known?.to ?? next.get(name)?.from;
      if (state === undefined) return [];
      const came = moved.get(name);
      return [
        { ...stoodAt(kind, name, state), since: came?.at ?? null, ...cameBy(came), ...decided(kind, name, known) },
      ];
    }),
  };
}

type StoredAsOf = StoredTransition & { generation: number | null; conditions: unknown; last: string };

async function eachLifecycle(asked: Asked, ref: Ref, where: string, id: string, order: "ASC" | "DESC") {
  const rows = await asked.database.query<StoredTransition>(
    `SELECT DISTINCT ON ("Transition"."lifecycle") ${transitionColumns} FROM "Transition"
     WHERE "resourceId" = $1 AND ${where} ORDER BY "Transition"."lifecycle", "Transition"."id" ${order}`,
    [idOf(ref), id],
  );
  return new Map(rows.map((row) => [row.lifecycle, transitionOf(row)]));
}

function stoodAt(kind: Kind, lifecycle: string, state: string) {
  const machine = kind.lifecycles[lifecycle]?.machine;
  // What was wanted then is not written down.
  const kept = { lifecycle, state, desired: null, composedOf: [...(kind.lifecycles[lifecycle]?.composedOf ?? [])] };
  if (!machine) return { ...kept, title: lifecycle, tone: "idle" as const, summary: "", settled: true };
  const { tone, summary } = stateMetaOf(machine, state);
  const { title, settled } = metaOf(machine);
  return { ...kept, title, tone, summary, settled: settled.includes(state) };
}

function cameBy(came: TransitionAnswer | undefined) {
  return { edge: came?.edge ?? null, left: came?.from ?? null };
}

/** The ways that there were, by the rules that are in force still; null: those of then are not. */
function decided(kind: Kind, lifecycle: string, known: TransitionAnswer | undefined) {
  const machine = kind.lifecycles[lifecycle]?.machine;
  const hash = known?.machine ?? (machine ? contentHash(machine) : "");
  if (!machine || !known) return { machine: hash, decidedIn: null, waysOut: null };
  const isSame = hash === contentHash(machine);
  const ways = isSame ? explain(machine, known.from, { facts: known.facts, evidence: known.evidence }) : null;
  return {
    machine: hash,
    decidedIn: known.from,
    waysOut: ways?.map((way) => ({ ...wayOf(way), taken: way.edge.id === known.edge })) ?? null,
  };
}
