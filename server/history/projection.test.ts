import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kettle } from "@/machines/fixtures/kettle";
import type { Database } from "@/server/db/database";
import { startPostgres, type PostgresServer } from "@/server/db/fixtures/postgres-server";
import { openTestDatabase } from "@/server/db/fixtures/test-database";
import { openDatabase } from "@/server/db/open-database";
import { createVirtualClock } from "@/server/kubernetes/clock";
import { createHub } from "@/server/live/hub";
import type { Asked } from "@/server/resources/context";
import { flow } from "@/server/resources/flow";
import { machine } from "@/server/resources/machines";
import { counts, page } from "@/server/resources/page";
import { filterSchema, pageQuerySchema } from "@/server/resources/page-query";
import { createMetrics } from "@/server/observability/metrics";
import { kettleAt, moved, start, type Phase } from "./fixtures/kettle-passes";
import { createProjection } from "./projection";
import { measureProjection } from "./projection-metrics";
import { replay } from "./replay";
import { prune } from "./retention";

const kinds = { "kitchen.kettle": kettle };
const everywhere = { "kitchen.kettle": "everywhere" } as const;

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describe.each([
  ["embedded", openTestDatabase],
  ["server", async () => openDatabase({ dataDir: null, url: await server.createDatabase() })],
])("%s", (_home, open) => {
  let database: Database;
  const clock = createVirtualClock({ startMs: start });
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  const projected = () => createProjection({ database, clock, kinds });
  const count = async (table: string) =>
    (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM "${table}"`))[0]?.n;
  const rowsNow = () => page(database, pageQuerySchema.parse({ sort: "name" }), everywhere);

  test("passes become one row per resource and a history with causes", async () => {
    const projection = projected();
    projection.accept(moved("green", "off", "heating"));
    projection.accept(moved("green", "heating", "hot"));
    projection.accept(moved("blue", "off", "heating"));
    await projection.settled();
    const { rows, counts } = await rowsNow();
    expect(rows.map(({ name, state, tone }) => [name, state, tone])).toEqual([
      ["blue", "heating", "busy"],
      ["green", "hot", "good"],
    ]);
    expect(counts.total).toBe(2);
    const history = await database.query(
      `SELECT "from", "to", "edge", "guard", "flipped" FROM "Transition" WHERE "resourceId" = 'kitchen.kettle/home/green' ORDER BY "id"`,
    );
    expect(history).toMatchObject([
      { from: "off", to: "heating", edge: "off.observed.0", guard: "someone wants tea and there is water in it" },
      {
        from: "heating",
        to: "hot",
        guard: "the water boils",
        flipped: [{ fact: "temperature", from: "cold", to: "boiling", evidence: { sentence: "the water is boiling" } }],
      },
    ]);
    await projection.stop();
  });

  test("the same pass told twice is stored once, and a row that did not change is not told anew", async () => {
    const projection = projected();
    await projection.start();
    const again = moved("green", "hot", "off");
    projection.accept(again);
    await projection.settled();
    const before = [await count("Transition"), (await rowsNow()).rows[1]?.version];
    const fresh = projected();
    fresh.accept(again);
    await fresh.settled();
    expect([await count("Transition"), (await rowsNow()).rows[1]?.version]).toEqual(before);
    await projection.stop();
    await fresh.stop();
  });

  test("a worker whose lease has passed on writes nothing more, and says so", async () => {
    const projection = projected();
    projection.accept(moved("white", "off", "heating", { token: 5 }));
    await projection.settled();
    const told: unknown[] = [];
    const stale = createProjection({ database, clock, kinds, onError: (error) => void told.push(String(error)) });
    stale.accept(moved("white", "heating", "hot", { token: 4 }));
    await stale.settled();
    expect(stale.state()).toMatchObject({ fenced: 2, buffered: 0 });
    expect(told).toEqual([expect.stringContaining("A worker with a newer lease writes the projection.")]);
    expect((await rowsNow()).rows.find(({ name }) => name === "white")?.state).toBe("heating");
    await projection.stop();
    await stale.stop();
  });

  test("folding the stored events through the machine gives the stored states", async () => {
    const { replayed, divergences } = await replay(database, kinds);
    expect(replayed).toBeGreaterThan(4);
    expect(divergences).toEqual([]);
    await database.query(`UPDATE "Transition" SET "to" = 'hot' WHERE "to" = 'heating'`);
    expect((await replay(database, kinds)).divergences.length).toBeGreaterThan(0);
    await database.query(`DELETE FROM "Transition"`);
  });

  test("a move that a dying worker could not tell of is told of as lost by the next one", async () => {
    const projection = projected();
    projection.accept(moved("cracked", "off", "heating", { token: 6 }));
    await projection.settled();
    await projection.stop();
    const next = projected();
    await next.start();
    next.accept(moved("cracked", "hot", "off", { token: 6 }));
    await next.settled();
    const history = await database.query(
      `SELECT "from", "to", "droppedBefore" FROM "Transition" WHERE "resourceId" = 'kitchen.kettle/home/cracked' ORDER BY "id"`,
    );
    expect(history).toEqual([
      { from: "off", to: "heating", droppedBefore: 0 },
      { from: "hot", to: "off", droppedBefore: 1 },
    ]);
    expect((await replay(database, kinds)).divergences).toEqual([]);
    await database.query(`DELETE FROM "Transition"`);
    await next.stop();
  });

  test("while the database is away reconciling goes on, and what had to be dropped is counted and shown", async () => {
    let away = true;
    const flaky: Database = {
      ...database,
      query: (...args) => (away ? Promise.reject(new Error("away")) : database.query(...args)),
      transaction: (run) => (away ? Promise.reject(new Error("away")) : database.transaction(run)),
    };
    const projection = createProjection({ database: flaky, clock, kinds, bufferMax: 3 });
    const phases: Phase[] = ["off", "heating", "hot", "off", "heating", "hot"];
    phases.slice(1).forEach((to, at) => projection.accept(moved("red", phases[at] ?? "off", to, { token: 6 })));
    await expect.poll(() => projection.state().failing, { timeout: 60_000 }).toBe("away");
    expect(projection.state()).toMatchObject({ dropped: 2, buffered: 4 });
    const metrics = createMetrics();
    measureProjection(metrics, projection);
    expect(metrics.text()).toMatch(/orrery_history_dropped_total 2\n[^]*orrery_history_failing 1\n/);
    away = false;
    await clock.advance(10_000);
    await projection.settled();
    expect(projection.state()).toMatchObject({ dropped: 2, buffered: 0, failing: null });
    const [first] = await database.query(`SELECT "from", "droppedBefore" FROM "Transition" ORDER BY "id"`);
    expect(first).toEqual({ from: "hot", droppedBefore: 2 });
    expect((await replay(database, kinds)).divergences).toEqual([]);
    const [said] = await database.query(`SELECT "dropped"::int AS dropped FROM "Projection"`);
    expect(said).toEqual({ dropped: 2 });
    await projection.stop();
  });

  test("a resource that is gone leaves the list, and readers are told", async () => {
    const hub = createHub({ database, clock });
    await hub.start();
    const heard: (string | null)[] = [];
    hub.subscribe((changes) => heard.push(...changes.map(({ id, row }) => (row ? row.state : `${id} gone`))));
    const projection = projected();
    projection.accept(moved("red", "hot", "off", { token: 7, resourceAfter: null }));
    await projection.settled();
    await expect.poll(() => heard, { timeout: 60_000 }).toEqual(["kitchen.kettle/home/red gone"]);
    expect((await rowsNow()).rows.map(({ name }) => name)).not.toContain("red");
    await hub.stop();
    await projection.stop();
  });

  test.each([`DELETE FROM`, `TRUNCATE`])(
    "a database wiped by %s is rebuilt by the next passes, history aside",
    async (wipe) => {
      const before = (await rowsNow()).rows.map(({ name, state }) => ({ name, state }));
      await database.query(`${wipe} "Resource"`);
      await database.query(`${wipe} "Projection"`);
      expect((await counts(database, {}, everywhere)).counts).toMatchObject({ total: 0, kinds: {}, states: [] });
      const projection = projected();
      await projection.start();
      for (const { name, state } of before) projection.accept(moved(name, state as Phase, state as Phase));
      await projection.settled();
      expect((await rowsNow()).rows.map(({ name, state }) => ({ name, state }))).toEqual(before);
      expect((await counts(database, {}, everywhere)).counts.total).toBe(before.length);
      await projection.stop();
    },
  );

  test("history is forgotten by age and by count, and never the newest of it", async () => {
    await database.query(`DELETE FROM "Transition"`);
    const projection = projected();
    const phases: Phase[] = ["off", "heating", "hot"];
    for (let at = 0; at < 30; at++)
      projection.accept(
        moved("grey", phases[at % 3] ?? "off", phases[(at + 1) % 3] ?? "off", {
          token: 8,
          at: start + at * 86_400_000,
        }),
      );
    await projection.settled();
    await prune(database, { keepDays: 20, keepPerResource: 100 }, start + 30 * 86_400_000);
    expect(await count("Transition")).toBe(20);
    await prune(database, { keepDays: 20, keepPerResource: 5 }, start + 30 * 86_400_000);
    const left = await database.query<{ at: Date }>(`SELECT "at" FROM "Transition" ORDER BY "id"`);
    expect(left.map(({ at }) => (at.getTime() - start) / 86_400_000)).toEqual([25, 26, 27, 28, 29]);
    await projection.stop();
  });

  test("rates tell of every transition of the last hour and day, however many, and are forgotten after two days", async () => {
    await database.query(`DELETE FROM "Pace"`);
    const projection = projected();
    const now = start + 40 * 86_400_000;
    const minutesAgo = [1, 2, 59, 61, 600, 1_500, 4_000];
    for (const minutes of minutesAgo)
      projection.accept(moved("brisk", "off", "heating", { token: 9, at: now - minutes * 60_000 }));
    await projection.settled();
    // Only what rates look at.
    const asked = { database, clock: { now: () => now }, kinds } as unknown as Asked;
    const { edges, states } = await flow(asked, { kind: "kitchen.kettle", lifecycle: "phase" });
    expect(edges).toMatchObject([{ edge: "off.observed.0", from: "off", to: "heating", hour: 3, day: 5 }]);
    expect(states).toContainEqual({ state: "heating", enteredHour: 3, enteredDay: 5 });
    // The machine's own page has the stays before each edge, too.
    const rights = { may: async () => ({ allowed: true }) };
    const drawn = await machine({ ...asked, rights } as unknown as Asked, { kind: "kitchen.kettle" });
    const { p50Ms, p95Ms } = edges[0] ?? {};
    expect(drawn.edges.find(({ edge }) => edge === "off.observed.0")?.dwell).toMatchObject({ p50Ms, p95Ms });
    await prune(database, { keepDays: 90, keepPerResource: 100 }, now);
    const [left] = await database.query<{ sum: number }>(`SELECT sum("count")::int AS "sum" FROM "Pace"`);
    expect(left?.sum).toBe(6);
    await projection.stop();
  });

  test("finished bulk jobs are forgotten with their items; what runs or has just ended stays", async () => {
    const job = async (id: string, state: string, finishedAt: Date | null) => {
      await database.query(
        `INSERT INTO "BulkJob" ("id", "at", "finishedAt", "actor", "groups", "command", "args", "state")
         VALUES ($1, $2, $3, 'ada', '[]', 'stop', '{}', $4)`,
        [id, new Date(start), finishedAt, state],
      );
      await database.query(
        `INSERT INTO "BulkItem" ("jobId", "position", "kind", "namespace", "name", "outcome")
         SELECT $1, i, 'kitchen.kettle', 'home', 'k' || i, 'accepted' FROM generate_series(1, 3) i`,
        [id],
      );
    };
    const day = (nth: number) => new Date(start + nth * 86_400_000);
    await job("old", "done", day(1));
    await job("cancelled", "cancelled", day(2));
    await job("recent", "done", day(29));
    await job("running", "running", null);
    await prune(database, { keepDays: 20, keepPerResource: 100 }, day(30).getTime());
    const left = await database.query(`SELECT "id" FROM "BulkJob" ORDER BY "id"`);
    expect(left).toEqual([{ id: "recent" }, { id: "running" }]);
    expect(await database.query(`SELECT DISTINCT "jobId" AS id FROM "BulkItem" ORDER BY 1`)).toEqual(left);
  });

  test("every generation of a spec is kept once, without its secrets, and the newest of each object for ever", async () => {
    const projection = projected();
    const asked = (generation: number, spec: Record<string, unknown>, at: number) => {
      const resourceAfter = kettleAt("pink", "hot", start);
      const metadata = { ...resourceAfter.metadata, generation };
      projection.accept(
        moved("pink", "hot", "hot", { token: 9, at, resourceAfter: { ...resourceAfter, metadata, spec } }),
      );
    };
    asked(1, { litres: 1, token: "abc" }, start);
    asked(1, { litres: 1, token: "abc" }, start);
    asked(2, { litres: 2 }, start + 1);
    await projection.settled();
    const kept = () =>
      database.query(`SELECT "generation", "spec" FROM "Generation" WHERE "uid" = 'uid-pink' ORDER BY "generation"`);
    expect(await kept()).toEqual([
      { generation: 1, spec: { litres: 1, token: "(redacted)" } },
      { generation: 2, spec: { litres: 2 } },
    ]);
    await prune(database, { keepDays: 1, keepPerResource: 100 }, start + 30 * 86_400_000);
    expect(await kept()).toMatchObject([{ generation: 2 }]);
    await projection.stop();
  });

  test("pages follow each other without a gap or a repetition, by every order", async () => {
    const projection = projected();
    for (let at = 0; at < 60; at++)
      projection.accept(moved(`pot-${at % 7}-${at}`, "off", at % 2 ? "heating" : "hot", { token: 9 }));
    await projection.settled();
    for (const sort of ["attention", "name", "namespace", "kind", "state", "since"] as const)
      for (const direction of ["asc", "desc"] as const) {
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const { rows, nextCursor }: Awaited<ReturnType<typeof page>> = await page(
            database,
            pageQuerySchema.parse({ sort, direction, limit: 7, cursor, text: "pot-" }),
            everywhere,
          );
          seen.push(...rows.map(({ id }) => id));
          cursor = nextCursor ?? undefined;
        } while (cursor);
        expect(new Set(seen).size, sort).toBe(60);
        expect(seen).toHaveLength(60);
      }
    const found = await page(
      database,
      pageQuerySchema.parse({ states: ["hot"], labels: { room: "kitchen" }, text: "pot-" }),
      everywhere,
    );
    expect([found.counts.total, found.counts.tones]).toEqual([30, { busy: 30, good: 30 }]);
    const shouted = await page(database, pageQuerySchema.parse({ text: "POT-3 HOT", limit: 200 }), everywhere);
    expect(shouted.rows.length).toBeGreaterThan(0);
    expect(shouted.rows.every(({ name, state, sentence }) => /^pot-3.* hot/.test(`${name} ${state} ${sentence}`))).toBe(
      true,
    );
    // Counted over groups of rows that stand alike, it is the same as row by row.
    const tally = (of: string[]) =>
      Object.fromEntries([...new Set(of)].map((one) => [one, of.filter((other) => other === one).length]));
    const all = await page(database, pageQuerySchema.parse({ limit: 200 }), everywhere);
    expect(all.counts).toMatchObject({
      total: all.rows.length,
      tones: tally(all.rows.map(({ tone }) => tone)),
      namespaces: tally(all.rows.map(({ namespace }) => namespace)),
    });
    expect(Object.fromEntries(all.counts.states.map(({ state, count }) => [state, count]))).toEqual(
      tally(all.rows.map(({ state }) => state)),
    );
    // What the database keeps of them is the same again, after all that was written, marked as gone, wiped and rebuilt.
    const filters = [
      {},
      { family: "kitchen" },
      { family: "garden" },
      { namespaces: ["home"], states: ["hot"] },
      { kinds: ["kitchen.kettle"], tones: ["good"] },
      { states: ["phase=hot"] },
    ] as const;
    for (const filter of filters) {
      const { counts: wanted } = await page(database, pageQuerySchema.parse(filter), everywhere);
      expect((await counts(database, filterSchema.parse(filter), everywhere)).counts, JSON.stringify(filter)).toEqual(
        wanted,
      );
    }
    const hidden = await page(database, pageQuerySchema.parse({}), { "kitchen.kettle": ["elsewhere"] });
    expect([hidden.rows, hidden.counts.total, hidden.hidden]).toEqual([[], 0, ["kitchen.kettle"]]);
    await projection.stop();
  });
});
