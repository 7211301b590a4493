import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Database, Query } from "./database";

/** Brings the schema up to date. Any number of processes may start at once: one migrates, the others wait for it. */
export async function migrate(database: Database, folder = migrationsFolder): Promise<string[]> {
  const migrations = await readMigrations(folder);
  return database.transaction(async (query) => {
    await query("SELECT 1 FROM pg_advisory_xact_lock(72707369)");
    await query(bookkeeping);
    const applied = await query<Applied>(
      `SELECT "migration_name" AS "name", "checksum" FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL`,
    );
    const pending = pendingOf(migrations, applied);
    for (const migration of pending) await apply(query, migration);
    return pending.map((migration) => migration.name);
  });
}

const migrationsFolder = join(process.cwd(), "prisma", "migrations");

type Migration = { name: string; sql: string; checksum: string };
type Applied = { name: string; checksum: string };

// Prisma's own table, so that `prisma migrate deploy` can take over from here.
const bookkeeping = `
  CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY, "checksum" VARCHAR(64) NOT NULL, "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL, "logs" TEXT, "rolled_back_at" TIMESTAMPTZ,
    "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(), "applied_steps_count" INTEGER NOT NULL DEFAULT 0)`;

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, "migration.sql"), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/** What is still to be applied. A database that knows other migrations than this build is left alone. */
function pendingOf(migrations: Migration[], applied: Applied[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { name, checksum } of applied) {
    const migration = known.get(name);
    if (!migration)
      throw new Error(`The database was migrated by a newer build: it has ${name}, which this one lacks.`);
    if (migration.checksum !== checksum) throw new Error(`The migration ${name} was changed after it was applied.`);
  }
  const done = new Set(applied.map(({ name }) => name));
  return migrations.filter((migration) => !done.has(migration.name));
}

async function apply(query: Query, { name, sql, checksum }: Migration): Promise<void> {
  for (const statement of statementsOf(sql)) await query(statement);
  await query(
    `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "finished_at", "applied_steps_count")
     VALUES ($1, $2, $3, now(), 1)`,
    [randomUUID(), checksum, name],
  );
}

/** Ends with a semicolon at a line's end, but for those between $$ and $$: a function's body is part of its statement. */
const STATEMENT = /(?:\$\$[^]*?\$\$|;(?!\s*$)|[^;])+/gm;

/** One statement at a time: the embedded database takes no more per call. */
function statementsOf(sql: string): string[] {
  return (sql.match(STATEMENT) ?? [])
    .map((statement) => statement.replace(/^--.*$/gm, "").trim())
    .filter((statement) => statement !== "");
}
