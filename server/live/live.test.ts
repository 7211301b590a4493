import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kettle } from "@/machines/fixtures/kettle";
import type { Database } from "@/server/db/database";
import { startPostgres, type PostgresServer } from "@/server/db/fixtures/postgres-server";
import { openTestDatabase } from "@/server/db/fixtures/test-database";
import { openDatabase } from "@/server/db/open-database";
import { writeBatch } from "@/server/history/write-batch";
import type { RowEntry } from "@/server/history/row-entry";
import type { Identity } from "@/server/identity/identity";
import { createVirtualClock } from "@/server/kubernetes/clock";
import type { Asked } from "@/server/resources/context";
import { fleetChanges, type Delta } from "./fleet-changes";
import { createHub, type Change, type Hub } from "./hub";

const ada: Identity = { name: "ada", groups: [], expiresAt: null, by: "bearer" };
const clock = createVirtualClock({ startMs: Date.UTC(2026, 0, 1) });
const patient = { timeout: 60_000, interval: 2 };

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

let writes = 0;

function entry(name: string, state: string | null): RowEntry {
  const id = `kitchen.kettle/home/${name}`;
  if (state === null) return { id, at: clock.now(), gone: true };
  const row = {
    id,
    family: "kitchen",
    kind: "kitchen.kettle",
    namespace: "home",
    name,
    uid: name,
    generation: 1,
    resourceVersion: "1",
    state,
    tone: "good" as const,
    attention: 3,
    since: null,
    lifecycles: { phase: { state, tone: "good" as const, since: null } },
    sentence: state,
    reason: null,
    owner: null,
    labels: {},
    commands: [],
    known: {},
    machines: {},
    looksAgainAt: null,
    error: null,
    digest: `${name} ${state}`,
    seenAt: new Date(clock.now()).toISOString(),
  };
  return { id, at: clock.now(), gone: false, row };
}

async function write(database: Database, ...rows: RowEntry[]): Promise<void> {
  writes++;
  await writeBatch(database, {
    rows,
    generations: [],
    transitions: [],
    fence: 1,
    about: { lagMs: 0, buffered: 0, dropped: 0, at: clock.now() },
  });
}

async function nextOf(stream: ReturnType<typeof fleetChanges>): Promise<Delta> {
  const { value } = await stream.next();
  if (!value) throw new Error("the stream has ended");
  return value[1];
}

/** A page that reads the stream; `cut` breaks it, and the next read resumes where it was. */
function createReader(asked: Asked, ids: string[]) {
  const view = new Map<string, string>();
  const told: string[] = [];
  let lastEventId: string | null = null;
  let elsewhere = 0;
  let broken = new AbortController();
  let reading: Promise<void> = Promise.resolve();
  const read = async (signal: AbortSignal) => {
    for await (const [id, delta] of fleetChanges(asked, { filter: {}, ids, lastEventId }, signal) as AsyncIterable<
      [string, Delta]
    >) {
      lastEventId = id;
      elsewhere += delta.elsewhere;
      for (const row of delta.rows) {
        view.set(row.id, row.state);
        told.push(`${row.id} ${row.version}`);
      }
      for (const gone of delta.gone) view.delete(gone);
      if (signal.aborted) return;
    }
  };
  return {
    view,
    told,
    elsewhere: () => elsewhere,
    open: (from?: string) => {
      lastEventId ??= from ?? null;
      broken = new AbortController();
      reading = read(broken.signal);
    },
    cut: async () => {
      broken.abort();
      await reading;
    },
  };
}

describe.each([
  ["embedded", async () => ({ database: await openTestDatabase(), other: null })],
  [
    "server",
    async () => {
      const url = await server.createDatabase();
      // Another process's connections: what it writes is heard of here.
      return {
        database: await openDatabase({ dataDir: null, url }),
        other: await openDatabase({ dataDir: null, url }),
      };
    },
  ],
] as const)("%s", (_home, open) => {
  let database: Database;
  let writer: Database;
  let asked: Asked;
  beforeAll(async () => {
    const opened = await open();
    database = opened.database;
    writer = opened.other ?? database;
    const hub = createHub({ database, clock });
    await hub.start();
    // Only what live updates look at.
    asked = {
      database,
      hub,
      clock,
      identity: ada,
      kinds: { "kitchen.kettle": kettle },
      rights: { may: async () => ({ allowed: true }) },
    } as unknown as Asked;
  });
  afterAll(async () => {
    await asked.hub.stop();
    if (writer !== database) await writer.close();
    await database.close();
  });

  test("over any number of breaks nothing is missed and nothing comes twice", async () => {
    const names = ["a", "b", "c", "d"];
    const ids = names.slice(0, 3).map((name) => `kitchen.kettle/home/${name}`);
    const reader = createReader(asked, ids);
    reader.open(asked.hub.version().toString());
    const wanted = new Map<string, string>();
    const acts = fc.sample(
      fc.record({
        name: fc.constantFrom(...names),
        state: fc.constantFrom("off", "heating", "hot", null),
        cut: fc.constantFrom(true, false, false),
      }),
      { numRuns: 120, seed: 7 },
    );
    for (const [at, { name, state, cut }] of acts.entries()) {
      if (cut) await reader.cut();
      const unique = state && `${state}-${at}`;
      await write(writer, entry(name, unique));
      if (unique === null) wanted.delete(`kitchen.kettle/home/${name}`);
      else if (name !== "d") wanted.set(`kitchen.kettle/home/${name}`, unique);
      if (cut) reader.open();
    }
    await expect.poll(() => new Map([...reader.view].sort()), patient).toEqual(new Map([...wanted].sort()));
    expect(new Set(reader.told).size).toBe(reader.told.length);
    expect(reader.elsewhere()).toBeGreaterThan(0);
    await reader.cut();
  });

  test("a slow reader gets the newest of each row and no queue of old ones", async () => {
    const id = "kitchen.kettle/home/slow";
    const broken = new AbortController();
    const stream = fleetChanges(
      asked,
      { filter: {}, ids: [id], lastEventId: asked.hub.version().toString() },
      broken.signal,
    );
    await write(writer, entry("slow", "first"));
    const first = await nextOf(stream);
    expect(first.rows[0]?.state).toBe("first");
    const before = asked.hub.version();
    for (let at = 0; at < 30; at++) await write(writer, entry("slow", `later-${at}`));
    await expect.poll(() => asked.hub.version() >= before + 30n, patient).toBe(true);
    const next = await nextOf(stream);
    expect(next.rows.map(({ state }) => state)).toEqual(["later-29"]);
    broken.abort();
    await stream.return(undefined);
  });

  test("a batch is told from its notification as it is stored, and read only when it does not fit one", async () => {
    let reads = 0;
    const query: Database["query"] = (text, params) => {
      reads++;
      return database.query(text, params);
    };
    const hub = createHub({ database: { ...database, query }, clock });
    await hub.start();
    const heard: Change[] = [];
    hub.subscribe((changes) => heard.push(...changes));
    const since = hub.version();
    reads = 0;
    await write(writer, entry("told", "first"), entry("heard", "first"));
    await write(writer, entry("told", "first"), entry("heard", null));
    await expect.poll(() => heard.length, patient).toBe(3);
    expect(reads).toBe(0);
    const long = entry("told", "long");
    if (!long.gone) long.row.sentence = "a long story ".repeat(1_000);
    await write(writer, long);
    await expect.poll(() => heard.length, patient).toBe(4);
    expect(reads).toBeGreaterThan(0);
    await expect.poll(() => hub.version() === asked.hub.version(), patient).toBe(true);
    reads = 0;
    await write(writer, entry("told", "last"));
    await expect.poll(() => heard.length, patient).toBe(5);
    expect(reads).toBe(0);
    const told = new Map(heard.map((change) => [change.id, change]));
    expect([...told.values()].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
      (await hub.changesSince(since))?.sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
    await hub.stop();
  });

  test("streams that show the same are told the very same, and the fleet is counted once for all of them", async () => {
    let counts = 0;
    const query: Database["query"] = (text, params) => {
      if (text.includes('"tones"')) counts++;
      return database.query(text, params);
    };
    let caughtUp = 0;
    const changesSince: Hub["changesSince"] = async (version) => {
      const missed = await asked.hub.changesSince(version);
      caughtUp++;
      return missed;
    };
    // A database and a hub of their own, as far as those who share can tell.
    const counted = { ...asked, database: { ...database, query }, hub: { ...asked.hub, changesSince } };
    const broken = new AbortController();
    const input = { filter: {}, ids: ["kitchen.kettle/home/shared"], lastEventId: asked.hub.version().toString() };
    const streams = Array.from({ length: 8 }, () => fleetChanges(counted, input, broken.signal));
    const first = streams.map(nextOf);
    await expect.poll(() => caughtUp, patient).toBe(streams.length);
    await write(writer, entry("shared", `seen-${writes}`));
    const deltas = await Promise.all(first);
    expect(deltas[0]?.rows).toHaveLength(1);
    expect(new Set(deltas).size).toBe(1);
    const second = await Promise.all(streams.map(nextOf));
    expect(second[0]?.counts?.total).toBeGreaterThan(0);
    expect([new Set(second).size, counts]).toEqual([1, 1]);
    // What changes no count is told without any; the next that does is told with them.
    const reworded = entry("shared", "reworded");
    const [told] = deltas[0]?.rows ?? [];
    if (!reworded.gone && told) Object.assign(reworded.row, { state: told.state, lifecycles: told.lifecycles });
    const third = streams.map(nextOf);
    await write(writer, reworded);
    expect((await Promise.all(third)).map(({ counts: none }) => none)).toEqual(streams.map(() => null));
    const fourth = streams.map(nextOf);
    while (counts < 2) await clock.advance(500);
    await write(writer, entry("shared", `other-${writes}`));
    expect((await Promise.all(fourth)).map(({ rows, counts: none }) => [rows.length, none])).toEqual(
      streams.map(() => [1, null]),
    );
    const fifth = streams.map(nextOf);
    while (counts < 3) await clock.advance(500);
    const last = await Promise.all(fifth);
    expect(last[0]?.counts?.states).not.toEqual(second[0]?.counts?.states);
    broken.abort();
    await Promise.all(streams.map((stream) => stream.return(undefined)));
  });

  test("a reader that was away for too long is told to begin afresh", async () => {
    await database.query(`UPDATE "Counter" SET "value" = 5 WHERE "name" = 'horizon'`);
    const broken = new AbortController();
    const stream = fleetChanges(asked, { filter: {}, ids: [], lastEventId: "1" }, broken.signal);
    const delta = await nextOf(stream);
    expect(delta).toMatchObject({ reset: true, version: asked.hub.version().toString() });
    broken.abort();
    await stream.return(undefined);
    await database.query(`UPDATE "Counter" SET "value" = 0 WHERE "name" = 'horizon'`);
  });

  test("a stream ends with the session, as unauthenticated", async () => {
    const brief = { ...asked, identity: { ...ada, expiresAt: clock.now() + 1_000 } };
    const stream = fleetChanges(
      brief,
      { filter: {}, ids: [], lastEventId: asked.hub.version().toString() },
      new AbortController().signal,
    );
    let ended: unknown = null;
    const end = stream.next().catch((error: unknown) => (ended = error));
    while (ended === null) await clock.advance(500);
    await end;
    expect(ended).toMatchObject({ code: "UNAUTHORIZED" });
  });

  test("what another kind of right hides is not told", async () => {
    const blind = { ...asked, rights: { may: async () => ({ allowed: false, unknown: false, reason: "" }) } } as Asked;
    const broken = new AbortController();
    const stream = fleetChanges(
      blind,
      { filter: {}, ids: ["kitchen.kettle/home/a"], lastEventId: asked.hub.version().toString() },
      broken.signal,
    );
    let told = false;
    const next = stream.next().then(() => (told = true));
    const before = asked.hub.version();
    await write(writer, entry("a", `hidden-${writes}`));
    await expect.poll(() => asked.hub.version() > before, patient).toBe(true);
    expect(told).toBe(false);
    broken.abort();
    await next;
  });
});

test("news come again after the database broke every connection", async () => {
  const url = await server.createDatabase();
  const database = await openDatabase({ dataDir: null, url });
  const other = await openDatabase({ dataDir: null, url });
  const hub = createHub({ database, clock });
  await hub.start();
  const heard: string[] = [];
  hub.subscribe((changes) => heard.push(...changes.flatMap(({ row }) => row?.state ?? [])));
  await write(other, entry("kept", "before"));
  await expect.poll(() => heard, patient).toEqual(["before"]);
  await server.breakConnections();
  await expect
    .poll(
      async () =>
        write(other, entry("kept", "after")).then(
          () => true,
          () => false,
        ),
      patient,
    )
    .toBe(true);
  const isHeard = async () => {
    await clock.advance(1_000);
    return heard.at(-1);
  };
  await expect.poll(isHeard, patient).toBe("after");
  await hub.stop();
  await other.close();
  await database.close();
});
