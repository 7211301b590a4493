import type { Kind } from "@/machines/kind";
import type { Database } from "@/server/db/database";
import type { Clock } from "@/server/kubernetes/clock";
import type { PassOutcome } from "@/server/reconcile/pass";
import { idOf } from "@/server/resources/ref";
import { transitionsOf, type Memory, type NewTransition } from "./entry";
import { generationKey, generationOf, type NewGeneration } from "./generations";
import { memoryOf, statesIn, type StoredMemory } from "./memory";
import { storeMachines } from "./machine-store";
import { rowEntryOf, type RowEntry } from "./row-entry";
import { Fenced, writeBatch } from "./write-batch";

export type ProjectionState = {
  /** How long the oldest outcome that is not stored yet has waited. */
  lagMs: number;
  buffered: number;
  /** Transitions given up because the database was away for too long. */
  dropped: number;
  /** Outcomes of a lease that has passed on. */
  fenced: number;
  /** Why nothing can be stored just now. */
  failing: string | null;
};

/** Turns passes into rows and history. Never holds up the worker: what cannot be stored waits, within bounds. */
export type Projection = {
  start(): Promise<void>;
  accept(outcome: PassOutcome): void;
  /** Resolves when everything accepted so far is stored, given up or fenced off. */
  settled(): Promise<void>;
  stop(): Promise<void>;
  state(): ProjectionState;
};

export type ProjectionOptions = {
  database: Database;
  clock: Clock;
  kinds: Record<string, Kind>;
  /** Transitions that may wait for the database; rows need no bound, only the newest of each resource waits. */
  bufferMax?: number;
  onError?: (error: unknown) => void;
};

const BATCH_MAX = 500;
const RETRY_MS_MIN = 200;
const RETRY_MS_MAX = 5_000;

export function createProjection(options: ProjectionOptions): Projection {
  const { database, clock, kinds, bufferMax = 20_000, onError = () => undefined } = options;
  const memory = new Map<string, Memory>();
  const digests = new Map<string, string>();
  let rows = new Map<string, RowEntry & { token: number }>();
  let transitions: (NewTransition & { token: number })[] = [];
  let generations: (NewGeneration & { token: number })[] = [];
  const lost = new Map<string, number>();
  const state = { dropped: 0, fenced: 0, failing: null as string | null };
  let oldestAt: number | null = null;
  let work: Promise<void> | null = null;
  let failures = 0;
  const stopped = new AbortController();

  const accept = (outcome: PassOutcome) => {
    const kind = kinds[outcome.kind];
    if (!kind) return;
    const id = idOf({ kind: outcome.kind, ...outcome.key });
    const before = memory.get(id);
    for (const transition of transitionsOf(outcome, kind, before))
      transitions.push({ ...transition, token: outcome.token });
    const entry = rowEntryOf(outcome, kind, before);
    if (entry && isNews(entry)) rows.set(id, { ...entry, token: outcome.token });
    const generation = generationOf(outcome);
    const key = generation ? generationKey(generation.uid, generation.generation) : "";
    if (generation && before?.generation !== key) generations.push({ ...generation, token: outcome.token });
    remember(id, memoryOf(outcome, kind, before), key);
    dropOverflow();
    if (waiting() === 0) return;
    oldestAt ??= outcome.at;
    work ??= writeOn().finally(() => (work = null));
  };

  /** A row that is as it was stored, and is not looked at again by the clock, needs no write. */
  const isNews = (entry: RowEntry): boolean => {
    if (entry.gone) return true;
    return entry.row.looksAgainAt !== null || digests.get(entry.id) !== entry.row.digest;
  };

  const waiting = () => rows.size + transitions.length + generations.length;

  const remember = (id: string, after: Omit<Memory, "generation"> | null, generation: string) => {
    if (after) memory.set(id, { ...after, generation });
    else {
      memory.delete(id);
      digests.delete(id);
    }
  };

  const dropOverflow = () => {
    generations = generations.slice(-bufferMax);
    const over = transitions.length - bufferMax;
    if (over <= 0) return;
    for (const { resourceId } of transitions.splice(0, over)) lost.set(resourceId, (lost.get(resourceId) ?? 0) + 1);
    state.dropped += over;
  };

  const writeOn = async () => {
    while (waiting() > 0 && !stopped.signal.aborted) {
      const batch = takeBatch();
      try {
        await storeMachines(database, kinds, clock.now());
        await writeBatch(database, { ...batch, about: { ...stateNow(), at: clock.now() } });
        stored(batch);
      } catch (error) {
        if (error instanceof Fenced) giveUp(error, batch);
        else await waitAfter(error, batch);
      }
    }
    if (waiting() === 0) oldestAt = null;
  };

  const takeBatch = () => {
    const takenRows = [...rows.values()].slice(0, BATCH_MAX);
    const takenTransitions = transitions.slice(0, BATCH_MAX);
    // A batch is of one lease: what an older one left behind is fenced off by itself.
    const takenGenerations = generations.slice(0, BATCH_MAX);
    const fence = Math.min(...[...takenRows, ...takenTransitions, ...takenGenerations].map(({ token }) => token));
    const ofRows = takenRows.filter(({ token }) => token === fence);
    const ofTransitions = takenTransitions.filter(({ token }) => token === fence);
    for (const { id } of ofRows) rows.delete(id);
    const taken = new Set(ofTransitions);
    transitions = transitions.filter((transition) => !taken.has(transition));
    const marked = ofTransitions.map((transition) => {
      const droppedBefore = transition.droppedBefore + (lost.get(transition.resourceId) ?? 0);
      lost.delete(transition.resourceId);
      return { ...transition, droppedBefore };
    });
    const ofGenerations = takenGenerations.filter(({ token }) => token === fence);
    generations = generations.filter((generation) => !ofGenerations.includes(generation));
    return { rows: ofRows, transitions: marked, generations: ofGenerations, fence };
  };

  type Taken = ReturnType<typeof takeBatch>;

  const stored = (batch: Taken) => {
    failures = 0;
    state.failing = null;
    for (const entry of batch.rows) if (!entry.gone) digests.set(entry.id, entry.row.digest);
  };

  const giveUp = (error: Fenced, batch: Taken) => {
    state.fenced += batch.rows.length + batch.transitions.length;
    onError(error);
  };

  const waitAfter = async (error: unknown, batch: Taken) => {
    // Put back in order; a row that was accepted meanwhile is newer.
    rows = new Map([...batch.rows.map((entry) => [entry.id, entry] as const), ...rows]);
    transitions = [...batch.transitions, ...transitions];
    generations = [...batch.generations, ...generations];
    dropOverflow();
    state.failing = error instanceof Error ? error.message : String(error);
    onError(error);
    await clock.sleep(Math.min(RETRY_MS_MIN * 2 ** failures++, RETRY_MS_MAX), stopped.signal);
  };

  const stateNow = (): ProjectionState => ({
    ...state,
    lagMs: oldestAt === null ? 0 : Math.max(0, clock.now() - oldestAt),
    buffered: rows.size + transitions.length,
  });

  return {
    start: async () => {
      const stored = await database.query<StoredMemory>(
        `SELECT "id", "digest", "uid", "known", "lifecycles", "error",
           CASE WHEN "error" IS NULL THEN substring("resourceVersion" FROM '^[1-9][0-9]*$') END AS "readVersion",
           coalesce((SELECT max(g."uid" || '/' || g."generation") FROM "Generation" g
             WHERE g."uid" = "Resource"."uid" AND g."generation" = "Resource"."generation"), '') AS "generation"
         FROM "Resource" WHERE "deletedAt" IS NULL`,
      );
      for (const { id, digest, lifecycles, ...rest } of stored) {
        memory.set(id, { ...rest, states: statesIn(lifecycles) });
        digests.set(id, digest);
      }
    },
    accept,
    settled: async () => {
      while (work) await work;
    },
    stop: async () => {
      stopped.abort();
      await work;
    },
    state: stateNow,
  };
}
