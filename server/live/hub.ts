import type { Database } from "@/server/db/database";
import type { Clock, Timer } from "@/server/kubernetes/clock";
import { refOf } from "@/server/resources/ref";
import { rowColumns, rowOf, type Row, type StoredRow } from "@/server/resources/row";
import { CHANNEL, newsIn, type News } from "./news";

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

  /** News that follow on what is known here are told as they are; any others say only that there is something to read. */
  const hear = (text: string): void => {
    const news = reading ? null : newsIn(text);
    if (news && BigInt(news.after) === last) tell(changesIn(news), BigInt(news.upTo));
    else look();
  };

  const tell = (changes: readonly Change[], upTo: bigint) => {
    last = upTo;
    if (changes.length > 0) for (const listener of listeners) listener(changes);
  };

  const wasAsked = () => again;

  const readOn = async () => {
    for (;;) {
      again = false;
      const { changes, upTo } = await changesAfter(database, last);
      tell(changes, upTo);
      if (changes.length < BATCH && !wasAsked()) return;
    }
  };

  const schedule = (ms: number) => {
    timer?.cancel();
    timer = stopped ? null : clock.setTimeout(look, ms);
  };

  return {
    start: async () => {
      stopListening = await database.listen(CHANNEL, { onNews: hear, onGap: look });
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
        const { changes, upTo } = await changesAfter(database, from);
        found.push(...changes);
        if (changes.length < BATCH) return found;
        from = upTo;
      }
    },
    staleMs: () => (failingSince === null ? 0 : clock.monotonic() - failingSince),
  };
}

/** What changed after a version, and up to which: rows and counter are of one moment, so all of it up to there is told. */
async function changesAfter(database: Database, version: bigint): Promise<{ changes: Change[]; upTo: bigint }> {
  const rows = await database.query<StoredRow & { about: { isGone: boolean; counter: string } }>(
    `SELECT ${rowColumns}, jsonb_build_object('isGone', "deletedAt" IS NOT NULL,
       'counter', (SELECT "value"::text FROM "Counter" WHERE "name" = 'change')) AS "about"
     FROM "Resource" WHERE "version" > $1 ORDER BY "Resource"."version" LIMIT ${BATCH}`,
    [version.toString()],
  );
  const changes = rows.map(({ about, ...row }): Change => {
    const { id, kind, namespace } = row;
    return { version: BigInt(row.version), id, kind, namespace, row: about.isGone ? null : rowOf(row) };
  });
  const upTo = rows.length < BATCH ? rows[0]?.about.counter : rows.at(-1)?.version;
  return { changes, upTo: BigInt(upTo ?? version) };
}

function changesIn({ rows, gone }: News): Change[] {
  const changes = [
    ...rows.map((row) => ({ id: row.id, version: row.version, row })),
    ...gone.map((left) => ({ ...left, row: null })),
  ].map(({ id, version, row }): Change => {
    const { kind, namespace } = refOf(id);
    return { version: BigInt(version), id, kind, namespace, row };
  });
  return changes.sort((a, b) => Number(a.version - b.version));
}

async function newestVersion(database: Database): Promise<bigint> {
  const [row] = await database.query<{ value: string }>(
    `SELECT "value"::text AS "value" FROM "Counter" WHERE "name" = 'change'`,
  );
  return BigInt(row?.value ?? 0);
}
