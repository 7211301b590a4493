import { gzipSync } from "node:zlib";
import { kettle } from "@/machines/fixtures/kettle";
import type { Database } from "@/server/db/database";
import { startPostgres } from "@/server/db/fixtures/postgres-server";
import { openDatabase } from "@/server/db/open-database";
import { writeBatch } from "@/server/history/write-batch";
import type { RowEntry } from "@/server/history/row-entry";
import { systemClock } from "@/server/kubernetes/clock";
import { fleetChanges, type Delta } from "@/server/live/fleet-changes";
import { createHub } from "@/server/live/hub";
import type { Asked } from "@/server/resources/context";
import { counts, page } from "@/server/resources/page";
import { pageQuerySchema } from "@/server/resources/page-query";
import { seedFleet } from "./fleet-rows";
import type { BenchGroup, Figure } from "./bench-group";

const RESOURCES = 10_000;
const TRANSITIONS = 1_000_000;
const SUBSCRIBERS = 200;
const CHANGES = 200;
const everywhere = { "kitchen.kettle": "everywhere" } as const;

/** The API's own part of every answer, on both homes of the database. */
export const apiSpeed: BenchGroup = {
  key: "api",
  title: "pages, counts and live updates at 10,000 resources and 1,000,000 transitions",
  run: async (bench) => {
    const server = await startPostgres();
    bench.undo(() => server.stop());
    const figures: Figure[] = [];
    for (const [home, options] of [
      ["embedded", { dataDir: null }],
      ["server", { dataDir: null, url: await server.createDatabase() }],
    ] as const) {
      const database = await openDatabase(options);
      bench.undo(() => database.close());
      bench.say(`  ${home}: filling`);
      await seedFleet(database, Math.ceil(RESOURCES / bench.scale), Math.ceil(TRANSITIONS / bench.scale));
      figures.push(
        ...(await pages(database, home)),
        await machineCounts(database, home),
        ...(await live(database, home)),
      );
    }
    return figures;
  },
};

const sorts = ["attention", "name", "namespace", "kind", "state", "since"] as const;
const filters = [
  {},
  { namespaces: ["ns-7"] },
  { states: ["heating"] },
  { tones: ["bad", "warn"] as const },
  { labels: { team: "t-3" } },
  { text: "kettle-99" },
  { text: "nothing has this" },
];

async function pages(database: Database, home: string): Promise<Figure[]> {
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round < 3; round++)
    for (const filter of filters)
      for (const sort of sorts) {
        const query = pageQuerySchema.parse({ ...filter, sort });
        const startedMs = performance.now();
        const first = await page(database, query, everywhere);
        times.push(performance.now() - startedMs);
        bytes = Math.max(bytes, gzipSync(JSON.stringify(first)).length);
        if (!first.nextCursor) continue;
        const secondMs = performance.now();
        await page(database, { ...query, cursor: first.nextCursor }, everywhere);
        times.push(performance.now() - secondMs);
      }
  return [
    {
      key: `api-page-${home}`,
      what: "fleet.page, p95, any filter and sort",
      value: at(times, 0.95) / 1_000,
      unit: "seconds",
      goal: { atMost: 0.15 },
      detail: { p50Ms: at(times, 0.5), p95Ms: at(times, 0.95), pages: times.length },
    },
    {
      key: `api-bytes-${home}`,
      what: "50 rows, gzipped, of 30 KB",
      value: bytes / 30_720,
      unit: "ratio",
      goal: { atMost: 1 },
      detail: { bytes },
    },
  ];
}

async function machineCounts(database: Database, home: string): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < 30; round++) {
    const startedMs = performance.now();
    await Promise.all([
      counts(database, {}, everywhere),
      database.query(`SELECT "state", "bucket", "count"::float8 FROM "Dwell" WHERE "kind" = 'kitchen.kettle'`),
      database.query(`SELECT "edge", "count"::float8 FROM "EdgeCount" WHERE "kind" = 'kitchen.kettle'`),
    ]);
    times.push(performance.now() - startedMs);
  }
  return {
    key: `api-counts-${home}`,
    what: "counts and dwell times of a machine, p95",
    value: at(times, 0.95) / 1_000,
    unit: "seconds",
    goal: { atMost: 0.1 },
    detail: { p50Ms: at(times, 0.5), p95Ms: at(times, 0.95) },
  };
}

/** From the write of a pass to every one of the subscribers. */
async function live(database: Database, home: string): Promise<Figure[]> {
  const hub = createHub({ database, clock: systemClock });
  await hub.start();
  // Only what live updates look at.
  const asked = {
    database,
    hub,
    clock: systemClock,
    kinds: { "kitchen.kettle": kettle },
    identity: { name: "bench", groups: [], expiresAt: null, by: "bearer" },
    rights: { may: async () => ({ allowed: true }) },
  } as unknown as Asked;
  const ended = new AbortController();
  const written = new Map<string, number>();
  const times: number[] = [];
  const ids = Array.from({ length: 50 }, (_, index) => `kitchen.kettle/ns-${(index + 1) % 40}/kettle-${index + 1}`);
  const from = hub.version().toString();
  const readers = Array.from({ length: SUBSCRIBERS }, async () => {
    for await (const [, delta] of fleetChanges(
      asked,
      { filter: {}, ids, lastEventId: from },
      ended.signal,
    ) as AsyncIterable<[string, Delta]>)
      for (const row of delta.rows) times.push(performance.now() - (written.get(row.sentence) ?? 0));
  });
  for (let change = 0; change < CHANGES; change++) {
    const sentence = `change ${change}`;
    const [row] = await database.query(`SELECT * FROM "Resource" WHERE "id" = $1`, [ids[change % ids.length]]);
    // The stored row is the row to be written, with one sentence changed.
    const entry = {
      id: row?.id,
      at: Date.now(),
      gone: false,
      row: { ...row, sentence, digest: sentence },
    } as unknown as RowEntry;
    written.set(sentence, performance.now());
    await writeBatch(database, {
      rows: [entry],
      generations: [],
      transitions: [],
      fence: 1,
      about: { lagMs: 0, buffered: 0, dropped: 0, at: Date.now() },
    });
    await systemClock.sleep(25);
  }
  await systemClock.sleep(1_000);
  ended.abort();
  await Promise.all(readers);
  await hub.stop();
  const detail = { p50Ms: at(times, 0.5), p99Ms: at(times, 0.99), deliveries: times.length, subscribers: SUBSCRIBERS };
  return [
    {
      key: `api-live-p50-${home}`,
      what: "change → subscriber, p50, 200 subscribers",
      value: at(times, 0.5) / 1_000,
      unit: "seconds",
      goal: { atMost: 0.05 },
      detail,
    },
    {
      key: `api-live-p99-${home}`,
      what: "change → subscriber, p99, 200 subscribers",
      value: at(times, 0.99) / 1_000,
      unit: "seconds",
      goal: { atMost: 0.15 },
      detail,
    },
  ];
}

function at(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) * 100) / 100;
}
