import type { Database } from "@/server/db/database";
import type { Clock, Timer } from "@/server/kubernetes/clock";
import { rowColumns, rowOf, type Row, type StoredRow } from "@/server/resources/row";

/** The newest row of a resource, or that it is gone. */
export type Change = { version: bigint; id: string; kind: string; namespace: string; row: Row | null };

/** News of the fleet for everybody in this process: one reader of the database, any number of listeners. */
export type Hub = {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Called in the order of versions, each version once. */
  subscribe(listener: (changes: readonly Change[]) => void): () => void;
  version(): bigint;
  /** What changed after a version, each resource once; null when it is too long ago to tell. */
  changesSince(version: bigint): Promise<Change[] | null>;
  /** Milliseconds since the database last answered: 0 while it does. */
  staleMs(): number;
};

export const CHANNEL = "orrery_changes";
const BATCH = 2_000;
/** News can be lost (a pooler in between does not pass them on); then this often is looked anyway. */
const LOOK_MS = 5_000;
const RETRY_MS = 500;

export function createHub({ database, clock }: { database: Database; clock: Clock }): Hub {
  const listeners = new Set<(changes: readonly Change[]) => void>();
  let last = 0n;
  let stopListening: () => Promise<void> = async () => undefined;
  let timer: Timer | null = null;
  let reading: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  let failingSince: number | null = null;

  const look = (): void => {
    if (stopped) return;
    if (reading) {
      again = true;
      return;
    }
    reading = readOn()
      .then(
        () => (failingSince = null),
        () => (failingSince ??= clock.monotonic()),
      )
      .then(() => {
        reading = null;
        schedule(failingSince === null ? LOOK_MS : RETRY_MS);
        if (again && failingSince === null) look();
      });
  };

  const wasAsked = () => again;

  const readOn = async () => {
    for (;;) {
      again = false;
      const changes = await changesAfter(database, last);
      const newest = changes.at(-1);
      if (newest) {
        last = newest.version;
        for (const listener of listeners) listener(changes);
      }
      if (changes.length < BATCH && !wasAsked()) return;
    }
  };

  const schedule = (ms: number) => {
    timer?.cancel();
    timer = stopped ? null : clock.setTimeout(look, ms);
  };

  return {
    start: async () => {
      stopListening = await database.listen(CHANNEL, { onNews: look, onGap: look });
      last = await newestVersion(database);
      schedule(LOOK_MS);
    },
    stop: async () => {
      stopped = true;
      timer?.cancel();
      await stopListening();
      await reading;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    version: () => last,
    changesSince: async (version) => {
      const [horizon] = await database.query<{ value: string }>(
        `SELECT "value"::text AS "value" FROM "Counter" WHERE "name" = 'horizon'`,
      );
      if (version < BigInt(horizon?.value ?? 0) || version > (await newestVersion(database))) return null;
      const found: Change[] = [];
      for (let from = version; ;) {
        const changes = await changesAfter(database, from);
        found.push(...changes);
        if (changes.length < BATCH) return found;
        from = changes.at(-1)?.version ?? from;
      }
    },
    staleMs: () => (failingSince === null ? 0 : clock.monotonic() - failingSince),
  };
}

async function changesAfter(database: Database, version: bigint): Promise<Change[]> {
  const rows = await database.query<StoredRow & { deletedAt: Date | null }>(
    `SELECT ${rowColumns}, "deletedAt" FROM "Resource" WHERE "version" > $1 ORDER BY "Resource"."version" LIMIT ${BATCH}`,
    [version.toString()],
  );
  return rows.map(({ deletedAt, ...row }) => {
    const { id, kind, namespace } = row;
    return { version: BigInt(row.version), id, kind, namespace, row: deletedAt ? null : rowOf(row) };
  });
}

async function newestVersion(database: Database): Promise<bigint> {
  const [row] = await database.query<{ value: string }>(
    `SELECT "value"::text AS "value" FROM "Counter" WHERE "name" = 'change'`,
  );
  return BigInt(row?.value ?? 0);
}
