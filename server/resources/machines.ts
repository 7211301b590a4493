import { contentHash } from "@/machines/content-hash";
import { diagramOf } from "@/machines/diagram";
import { families } from "@/machines/families";
import type { Kind } from "@/machines/kind";
import { metaOf, stateMetaOf, statesOf } from "@/machines/lifecycle";
import { quantileMs } from "@/server/history/dwell";
import { visibleTo } from "./access";
import { kindOf, type Asked } from "./context";
import { definitionOf } from "./definition";
import { layoutsOf, type Layouts } from "./layouts";
import { definitionSchema, type MachineAnswer } from "./machine-answers";
import { counts } from "./page";
import type { Counts } from "./page-query";
import { Refused } from "./refusal";

/** Every machine with the number of resources in each of its states. */
export async function machinesList(asked: Asked) {
  const { counts: counted } = await counts(asked.database, {}, await visibleTo(asked, asked.identity));
  const titles: Record<string, { title: string }> = families;
  const summaries = Object.entries(asked.kinds).flatMap(([id, kind]) =>
    Object.entries(kind.lifecycles).map(async ([lifecycle, { machine }]) => {
      const states = statesWith(kind, lifecycle, counted, id);
      const family = id.split(".")[0] ?? "";
      return {
        kind: id,
        lifecycle,
        family,
        familyTitle: titles[family]?.title ?? family,
        kindTitle: kind.title,
        kindTitlePlural: kind.titlePlural,
        title: metaOf(machine).title,
        resource: `${kind.api.plural}.${kind.api.group}`,
        hash: contentHash(machine),
        total: states.reduce((sum, { count }) => sum + count, 0),
        states,
        diagram: diagramOf(machine),
        layout: (await layoutsOf(asked.database, machine)).small,
      };
    }),
  );
  return Promise.all(summaries);
}

export type MachineInput = { kind: string; lifecycle?: string | undefined; hash?: string | undefined };

/** One machine: its definition, its layout, and what the fleet does in it. */
export async function machine(
  asked: Asked,
  { kind: id, lifecycle: wanted, hash }: MachineInput,
): Promise<MachineAnswer> {
  const kind = kindOf(asked, id);
  const lifecycle = wanted ?? Object.keys(kind.lifecycles)[0] ?? "";
  const definedBy = Object.hasOwn(kind.lifecycles, lifecycle) ? kind.lifecycles[lifecycle]?.machine : undefined;
  if (!definedBy) {
    const known = Object.keys(kind.lifecycles).join(", ");
    throw new Refused("invalid", `A ${kind.title} has no lifecycle "${lifecycle}"; it has ${known}.`);
  }
  const isCurrent = hash === undefined || hash === contentHash(definedBy);
  const visible = await visibleTo(asked, asked.identity);
  const [{ counts: counted }, dwell, edges, stored] = await Promise.all([
    counts(asked.database, { kinds: [id] }, visible),
    dwellOf(asked, id, lifecycle),
    edgeCounts(asked, id, lifecycle, hash ?? contentHash(definedBy)),
    isCurrent ? null : storedMachine(asked, hash),
  ]);
  const layouts = isCurrent ? await layoutsOf(asked.database, definedBy) : stored?.layouts;
  return {
    kind: id,
    lifecycle,
    current: isCurrent,
    definition: stored?.definition ?? definitionOf(definedBy),
    layout: layouts?.large ?? null,
    folded: layouts?.folded ?? null,
    states: statesWith(kind, lifecycle, counted, id).map((state) => ({
      ...state,
      dwell: dwell.get(state.state) ?? null,
    })),
    edges,
  };
}

function statesWith(kind: Kind, lifecycle: string, counted: Counts, id: string) {
  const definedBy = kind.lifecycles[lifecycle]?.machine;
  const found = counted.states.filter((one) => one.kind === id && one.lifecycle === lifecycle);
  const own = definedBy ? statesOf(definedBy) : [];
  const strangers = found.filter(({ state }) => !own.includes(state));
  return [
    ...own.map((state) => ({
      state,
      tone: definedBy ? stateMetaOf(definedBy, state).tone : ("warn" as const),
      count: found.find((one) => one.state === state)?.count ?? 0,
    })),
    ...strangers.map(({ state, tone, count }) => ({ state, tone, count })),
  ];
}

/** Fewer stays than this say nothing about the next one. */
const STAYS_MIN = 5;

async function dwellOf({ database }: Asked, kind: string, lifecycle: string) {
  const rows = await database.query<{ state: string; bucket: number; count: number }>(
    `SELECT "state", "bucket", "count"::float8 AS "count" FROM "Dwell" WHERE "kind" = $1 AND "lifecycle" = $2 ORDER BY "bucket"`,
    [kind, lifecycle],
  );
  const states = new Set(rows.map(({ state }) => state));
  return new Map(
    [...states].flatMap((state) => {
      const buckets = rows.filter((row) => row.state === state);
      const count = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
      if (count < STAYS_MIN) return [];
      return [[state, { count, p50Ms: quantileMs(buckets, 0.5), p95Ms: quantileMs(buckets, 0.95) }] as const];
    }),
  );
}

function edgeCounts({ database }: Asked, kind: string, lifecycle: string, hash: string) {
  return database.query<{ edge: string; count: number }>(
    `SELECT "edge", "count"::float8 AS "count" FROM "EdgeCount" WHERE "kind" = $1 AND "lifecycle" = $2 AND "machine" = $3 ORDER BY "edge"`,
    [kind, lifecycle, hash],
  );
}

async function storedMachine({ database }: Asked, hash: string) {
  const [row] = await database.query<{ definition: unknown; layout: Layouts | null }>(
    `SELECT "definition", "layout" FROM "Machine" WHERE "hash" = $1`,
    [hash],
  );
  if (!row) throw new Refused("not found", `No machine with the hash ${hash} was ever seen here.`);
  return { definition: definitionSchema.parse(row.definition), layouts: row.layout };
}
