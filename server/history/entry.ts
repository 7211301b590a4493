import { contentHash } from "@/machines/content-hash";
import { edgeTaken } from "@/machines/edges";
import type { Known } from "@/machines/facts";
import { guardTree, sentencesOf } from "@/machines/guard-tree";
import type { Kind, Lifecycle } from "@/machines/kind";
import type { KubernetesObject } from "@/server/kubernetes/object";
import type { PassOutcome } from "@/server/reconcile/pass";
import { sameValue } from "@/server/reconcile/merge-patch";
import { idOf } from "@/server/resources/ref";
import { bucketOf } from "./dwell";

/** One lifecycle in one pass, as it is stored. */
export type NewTransition = {
  resourceId: string;
  uid: string;
  kind: string;
  lifecycle: string;
  pass: string;
  at: string;
  /** The versions of the resource that this pass and the last one before it had read: not stored, they tell whose wish is new. */
  readVersion: string | null;
  readBefore: string | null;
  machine: string;
  from: string;
  to: string;
  event: string;
  edge: string | null;
  guard: string | null;
  flipped: { fact: string; from: unknown; to: unknown; evidence: unknown }[];
  facts: Record<string, unknown>;
  evidence: Record<string, unknown>;
  actions: string[];
  writes: { sentence: string; outcome: string; ms: number }[];
  error: string | null;
  dwellMs: number | null;
  bucket: number | null;
  droppedBefore: number;
  generation: number | null;
  conditions: unknown;
};

/** What was known of the resource after the pass before: what flipped, and what went untold, is told against it. */
export type Memory = {
  uid: string;
  known: Record<string, Known>;
  states: Record<string, string>;
  error: string | null;
  generation: string;
  /** What was read by the last pass that did all it wanted; null: nobody knows, or versions have no order. */
  readVersion: string | null;
};

/** What happened in a pass, lifecycle by lifecycle. A pass in which nothing happened gives nothing. */
export function transitionsOf(outcome: PassOutcome, kind: Kind, before: Memory | undefined): NewTransition[] {
  const { object, resourceAfter, plan } = outcome;
  const was = object && kind.schema.safeParse(object);
  if (!plan || !was?.success) return [];
  const is = resourceAfter ? kind.schema.safeParse(resourceAfter) : null;
  return Object.entries(plan.steps).flatMap(([name, step]) => {
    const lifecycle = kind.lifecycles[name];
    const seen = outcome.known[name];
    if (!lifecycle || !seen) return [];
    const known: Known = { ...seen, facts: { ...seen.facts, ...step.facts } };
    // Where it really is: a plan that failed half-way has not moved it.
    const to = is?.success ? lifecycle.stateOf(is.data) : step.to;
    const failed = outcome.error ?? null;
    const wrote = outcome.writes.some((write) => write.outcome === "done" && write.verb !== "status");
    const untold = untoldBefore(outcome, before, name, step.from);
    const isNews = step.from !== to || untold > 0 || wrote || (failed !== null && failed !== before?.error);
    if (!isNews) return [];
    return [
      {
        ...causeOf(lifecycle, step, known),
        ...storedOf(outcome, name),
        readBefore: sameBefore(outcome, before)?.readVersion ?? null,
        ...stayOf(lifecycle, was.data, outcome.at, step.from !== to),
        from: step.from,
        to,
        event: step.event,
        actions: step.actions,
        flipped: flippedOf(known, before?.known[name]),
        facts: known.facts,
        evidence: known.evidence,
        error: failed,
        droppedBefore: untold,
      },
    ];
  });
}

/** What was deleted and made again has no past. */
function sameBefore({ object }: PassOutcome, before: Memory | undefined): Memory | undefined {
  return before?.uid === object?.metadata.uid ? before : undefined;
}

/** It is not where the pass before left it: a worker died before it could tell, or somebody wrote the status by hand. */
function untoldBefore(outcome: PassOutcome, before: Memory | undefined, name: string, from: string): number {
  const left = sameBefore(outcome, before)?.states[name];
  return left === undefined || left === from ? 0 : 1;
}

function storedOf({ id, kind, key, object, resourceAfter, at, writes }: PassOutcome, lifecycle: string) {
  return {
    resourceId: idOf({ kind, ...key }),
    uid: object?.metadata.uid ?? "",
    kind,
    lifecycle,
    pass: id,
    at: new Date(at).toISOString(),
    readVersion: orderedVersion(object),
    writes: writes
      .filter(({ outcome }) => outcome !== "unchanged")
      .map(({ sentence, outcome, ms }) => ({ sentence, outcome, ms: Math.round(ms) })),
    generation: resourceAfter?.metadata.generation ?? null,
    conditions: resourceAfter?.status?.conditions ?? [],
  };
}

/** Versions of today's API servers are numbers that only grow; another's cannot be compared. */
export function orderedVersion(object: KubernetesObject | null): string | null {
  const version = object?.metadata.resourceVersion ?? "";
  return /^[1-9]\d*$/.test(version) ? version : null;
}

/** The edge that was taken and the guard that opened it, in words. A composed lifecycle takes no steps of its own. */
function causeOf({ machine, composedOf }: Lifecycle, step: { from: string; event: string }, known: Known) {
  const hash = contentHash(machine);
  if (composedOf) return { machine: hash, edge: null, guard: null };
  const edge = edgeTaken(machine, { state: step.from, facts: known.facts }, { type: step.event });
  const guard = edge?.guard ? sentencesOf(guardTree(machine, edge.guard, known)).join(" and ") : null;
  return { machine: hash, edge: edge?.id ?? null, guard };
}

function stayOf(lifecycle: Lifecycle, resource: unknown, at: number, moved: boolean) {
  const since = Date.parse(lifecycle.sinceOf(resource) ?? "");
  if (!moved || Number.isNaN(since)) return { dwellMs: null, bucket: null };
  const dwellMs = Math.max(0, at - since);
  return { dwellMs, bucket: bucketOf(dwellMs) };
}

function flippedOf(known: Known, before: Known | undefined): NewTransition["flipped"] {
  if (!before) return [];
  return Object.entries(known.facts)
    .filter(([fact, value]) => !sameValue(value, before.facts[fact]))
    .map(([fact, to]) => ({ fact, from: before.facts[fact] ?? null, to, evidence: known.evidence[fact] ?? null }));
}
