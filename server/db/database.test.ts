import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Prisma } from "@/prisma/generated/client";
import type { Database } from "./database";
import { startPostgres, type PostgresServer } from "./fixtures/postgres-server";
import { migrate } from "./migrate";
import { openDatabase } from "./open-database";

const patient = { timeout: 60_000, interval: 5 };

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describe.each([
  ["embedded", async () => ({ dataDir: null })],
  ["server", async () => ({ dataDir: null, url: await server.createDatabase() })],
])("%s", (home, options) => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase(await options());
  });
  afterAll(() => database.close());

  test("the database says where it is", () => {
    expect(database.home).toBe(home);
    expect(database.place).not.toContain("orrery@");
  });

  test("the schema that the migrations make is the one that Prisma knows", async () => {
    for (const model of Object.values(Prisma.ModelName)) {
      const columns = await database.query<{ name: string }>(
        "SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1",
        [model],
      );
      const fields = Object.values(Reflect.get(Prisma, `${model}ScalarFieldEnum`) as Record<string, string>);
      expect(columns.map(({ name }) => name).sort(), model).toEqual(fields.sort());
    }
  });

  test("a migrated database is migrated no further", async () => {
    expect(await migrate(database)).toEqual([]);
  });

  test("a migration that was changed after it was applied stops the start", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orrery-migrations-"));
    await expect(migrate(database, folder)).rejects.toThrow("newer build");
    rmSync(folder, { recursive: true });
    await database.query(`UPDATE "_prisma_migrations" SET "checksum" = 'other'`);
    await expect(migrate(database)).rejects.toThrow("was changed after it was applied");
    await database.query(`DROP TABLE "_prisma_migrations"`);
    await expect(migrate(database)).rejects.toThrow("already exists");
  });

  test("a transaction that fails leaves nothing behind", async () => {
    const failed = database.transaction(async (query) => {
      await query(`INSERT INTO "Counter" VALUES ('lost', 1)`);
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(await database.query(`SELECT 1 FROM "Counter" WHERE "name" = 'lost'`)).toEqual([]);
  });

  test("news reach a listener, and a stopped one hears nothing", async () => {
    const heard: string[] = [];
    const stop = await database.listen("test_news", {
      onNews: (payload) => heard.push(payload),
      onGap: () => undefined,
    });
    await database.query("SELECT 1 FROM pg_notify('test_news', '41')");
    await expect.poll(() => heard, patient).toEqual(["41"]);
    await stop();
    await database.query("SELECT 1 FROM pg_notify('test_news', '42')");
    expect(heard).toEqual(["41"]);
  });

  test("Prisma reads what a statement wrote", async () => {
    await database.query(`INSERT INTO "Counter" VALUES ('seen', 9007199254740993)`);
    const counter = await database.prisma.counter.findUniqueOrThrow({ where: { name: "seen" } });
    expect(counter.value).toBe(9007199254740993n);
  });
});

test("many processes may start at once on one server: the migrations are applied once", async () => {
  const url = await server.createDatabase();
  const opened = await Promise.all([1, 2, 3, 4].map(() => openDatabase({ dataDir: null, url })));
  const rows = await opened[0]?.query(`SELECT "migration_name" FROM "_prisma_migrations"`);
  expect(rows).toHaveLength(
    readdirSync("prisma/migrations", { withFileTypes: true }).filter((entry) => entry.isDirectory()).length,
  );
  await Promise.all(opened.map((database) => database.close()));
});

test("a broken connection is replaced, and the listener is told that it may have missed news", async () => {
  const database = await openDatabase({ dataDir: null, url: await server.createDatabase() });
  const heard: string[] = [];
  const stop = await database.listen("test_news", {
    onNews: (payload) => heard.push(payload),
    onGap: () => heard.push("gap"),
  });
  await server.breakConnections();
  await expect.poll(() => heard, patient).toEqual(["gap"]);
  await database.query("SELECT 1 FROM pg_notify('test_news', 'after')");
  await expect.poll(() => heard, patient).toEqual(["gap", "after"]);
  await stop();
  await database.close();
});

test("a connection that breaks in the middle of a transaction fails that transaction, and not the process", async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on("uncaughtException", note);
  const database = await openDatabase({ dataDir: null, url: await server.createDatabase() });
  const broken = database.transaction(async (query) => {
    await query("SELECT 1");
    await server.breakConnections();
    await query("SELECT 1");
  });
  await expect(broken).rejects.toThrow(/connection/i);
  await expect
    .poll(
      () =>
        database.query("SELECT 1").then(
          () => true,
          () => false,
        ),
      patient,
    )
    .toBe(true);
  await database.close();
  process.off("uncaughtException", note);
  expect(uncaught).toEqual([]);
});

test.each(["127.0.0.1", "localhost"])("at %s, an unreachable server is told in one sentence", async (host) => {
  const opening = openDatabase({ dataDir: null, url: `postgres://me:hunter2@${host}:1/orrery` });
  const error = await opening.catch((failure: unknown) => failure);
  expect(String(error)).toContain(`The database postgres://${host}:1/orrery does not answer: connect ECONNREFUSED`);
  expect(String(error)).not.toContain("hunter2");
});

describe("the folder of the embedded database", () => {
  const folder = mkdtempSync(join(tmpdir(), "orrery-data-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("is one process's alone, who is told, and keeps what was written", async () => {
    const first = await openDatabase({ dataDir: folder });
    await expect(openDatabase({ dataDir: folder })).rejects.toThrow(`in use by process ${process.pid}`);
    await first.query(`INSERT INTO "Counter" VALUES ('kept', 7)`);
    await first.close();
    // A process id that no process has: the holder is dead.
    writeFileSync(
      join(folder, "database.lock"),
      JSON.stringify({ pid: 4_194_999, host: hostname(), started: "1", since: "then" }),
    );
    const second = await openDatabase({ dataDir: folder });
    expect(await second.query(`SELECT "value"::text AS value FROM "Counter" WHERE "name" = 'kept'`)).toEqual([
      { value: "7" },
    ]);
    await second.close();
  });
});
