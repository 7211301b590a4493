import { contentHash } from "@/machines/content-hash";
import { diagramOf } from "@/machines/diagram";
import { families } from "@/machines/families";
import type { Kind } from "@/machines/kind";
import { metaOf, stateMetaOf, statesOf } from "@/machines/lifecycle";
import { quantileMs } from "@/server/history/dwell";
import type { Layout } from "@/server/layout/layout-machine";
import { visibleTo } from "./access";
import { kindOf, type Asked } from "./context";
import { definitionOf } from "./definition";
import { layoutsOf } from "./layouts";
import { definitionSchema, type MachineAnswer } from "./machine-answers";
import { counts } from "./page";
import type { Counts } from "./page-query";
import { Refused } from "./refusal";

/** Every machine with the number of resources in each of its states, and how long they usually stay. */
export async function machinesList(asked: Asked) {
  const visible = await visibleTo(asked, asked.identity);
  const [{ counts: counted }, stays] = await Promise.all([counts(asked.database, {}, visible), staysIn(asked)]);
  const titles: Record<string, { title: string }> = families;
  return Object.entries(asked.kinds).flatMap(([id, kind]) =>
    Object.entries(kind.lifecycles).map(([lifecycle, { machine }]) => {
      const states = statesWith(kind, { id, lifecycle, counted, stays });
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
      };
    }),
  );
}

/** Every machine as a thumbnail. */
export async function pictures({ kinds, database }: Asked): Promise<Record<string, Layout>> {
  const machines = Object.values(kinds).flatMap(({ lifecycles }) => Object.values(lifecycles));
  const drawn: [string, Layout][] = [];
  // One after the other: drawing holds the process up, and a question that waits for a connection meanwhile is given up.
  for (const { machine } of machines) {
    const hash = contentHash(machine);
    drawn.push([hash, (await layoutsOf(database, hash, diagramOf(machine))).small]);
  }
  return Object.fromEntries(drawn);
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
  const [{ counts: counted }, stays, edges, stored] = await Promise.all([
    counts(asked.database, { kinds: [id] }, visible),
    staysIn(asked, id),
    edgesOf(asked, id, lifecycle, hash ?? contentHash(definedBy)),
    isCurrent ? null : storedMachine(asked, hash),
  ]);
  const definition = stored ?? definitionOf(definedBy);
  const { large, folded } = await layoutsOf(asked.database, definition.hash, definition.diagram);
  return {
    kind: id,
    lifecycle,
    current: isCurrent,
    definition,
    layout: large,
    folded,
    states: statesWith(kind, { id, lifecycle, counted, stays }),
    edges,
  };
}

type Known = { id: string; lifecycle: string; counted: Counts; stays: Stays };

function statesWith(kind: Kind, { id, lifecycle, counted, stays }: Known) {
  const definedBy = kind.lifecycles[lifecycle]?.machine;
  const found = counted.states.filter((one) => one.kind === id && one.lifecycle === lifecycle);
  const own = definedBy ? statesOf(definedBy) : [];
  const strangers = found.filter(({ state }) => !own.includes(state));
  const settled = definedBy ? diagramOf(definedBy).nodes.filter((node) => node.settled) : [];
  return [
    ...own.map((state) => ({
      state,
      tone: definedBy ? stateMetaOf(definedBy, state).tone : ("warn" as const),
      count: found.find((one) => one.state === state)?.count ?? 0,
    })),
    ...strangers.map(({ state, tone, count }) => ({ state, tone, count })),
  ].map((one) => ({
    ...one,
    settled: settled.some((node) => node.id === one.state),
    dwell: stays.get(stayKey({ kind: id, lifecycle, state: one.state })) ?? null,
  }));
}

/** Fewer stays than this say nothing about the next one. */
const STAYS_MIN = 5;

type Bucket = { bucket: number; count: number };
type Dwell = { count: number; p50Ms: number; p95Ms: number };
type Stays = Map<string, Dwell>;
type Stay = { kind: string; lifecycle: string; state: string };

const stayKey = ({ kind, lifecycle, state }: Stay) => `${kind} ${lifecycle} ${state}`;

/** How long resources stay in each state, of one kind or of all. */
async function staysIn({ database }: Asked, kind: string | null = null): Promise<Stays> {
  const rows = await database.query<Stay & Bucket>(
    `SELECT "kind", "lifecycle", "state", "bucket", "count"::float8 AS "count" FROM "Dwell"
     WHERE $1::text IS NULL OR "kind" = $1 ORDER BY "bucket"`,
    [kind],
  );
  const byState = new Map<string, typeof rows>();
  for (const row of rows) byState.set(stayKey(row), [...(byState.get(stayKey(row)) ?? []), row]);
  return new Map(
    [...byState].flatMap(([key, buckets]) => {
      const dwell = dwellOf(buckets);
      return dwell ? [[key, dwell] as const] : [];
    }),
  );
}

function dwellOf(buckets: readonly Bucket[]): Dwell | null {
  const count = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
  return count < STAYS_MIN ? null : { count, p50Ms: quantileMs(buckets, 0.5), p95Ms: quantileMs(buckets, 0.95) };
}

type Edge = { edge: string; count: number; stays: Bucket[] };

/** How often each edge was ever taken, and after how long in the last days. */
async function edgesOf({ database }: Asked, kind: string, lifecycle: string, hash: string) {
  const edges = await database.query<Edge>(
    `SELECT "edge", "count"::float8 AS "count", coalesce((
       SELECT jsonb_agg(stay ORDER BY stay."bucket") FROM (
         SELECT "bucket", sum("count") AS "count" FROM "Pace" p
         WHERE p."kind" = $1 AND p."lifecycle" = $2 AND p."edge" = e."edge" AND "bucket" >= 0 GROUP BY 1) stay), '[]') AS "stays"
     FROM "EdgeCount" e WHERE "kind" = $1 AND "lifecycle" = $2 AND "machine" = $3 ORDER BY "edge"`,
    [kind, lifecycle, hash],
  );
  return edges.map(({ edge, count, stays }) => ({ edge, count, dwell: dwellOf(stays) }));
}

async function storedMachine({ database }: Asked, hash: string) {
  const [row] = await database.query<{ definition: unknown }>(`SELECT "definition" FROM "Machine" WHERE "hash" = $1`, [
    hash,
  ]);
  if (!row) throw new Refused("not found", `No machine with the hash ${hash} was ever seen here.`);
  return definitionSchema.parse(row.definition);
}
