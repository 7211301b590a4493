import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient } from "@/prisma/generated/client";
import type { Database, Query } from "./database";
import { listenOn } from "./listen-on";

/** A PostgreSQL server, by a pool of connections; listening has a connection of its own. */
export async function openServer(url: string, connectionsMax = 10): Promise<Database> {
  const place = placeOf(url);
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: 5_000,
    application_name: "orrery",
    options: "-c TimeZone=UTC -c statement_timeout=60000",
  });
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on("error", () => undefined);
  // One that breaks while it is lent out, between two queries, fails the next of them: that is told there.
  pool.on("connect", (lent) => lent.on("error", () => undefined));
  try {
    await pool.query("SELECT 1");
  } catch (error) {
    await pool.end();
    throw new Error(`The database ${place} does not answer: ${reasonOf(error)}`, { cause: error });
  }
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  let closing: Promise<void> | undefined;
  const close = async () => {
    await prisma.$disconnect();
    if (!pool.ended) await pool.end();
  };
  return {
    home: "server",
    place,
    prisma,
    query: queryOf(pool),
    transaction: (run) => transaction(pool, run),
    listen: (channel, listener) => listenOn(url, channel, listener),
    close: () => (closing ??= close()),
  };
}

async function transaction<T>(pool: pg.Pool, run: (query: Query) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    const result = await run(queryOf(client));
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch((failure: unknown) => (broken = asError(failure)));
    throw error;
  } finally {
    client.release(broken);
  }
}

function queryOf(session: pg.Pool | pg.PoolClient): Query {
  return async <Row extends object>(text: string, params: readonly unknown[] = []) =>
    (await session.query<Row>(text, [...params])).rows;
}

function placeOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `postgres://${host}${pathname}`;
  } catch {
    throw new Error("DATABASE_URL is not an address of the form postgres://user:password@host:port/name.");
  }
}

function asError(failure: unknown): Error {
  return failure instanceof Error ? failure : new Error(String(failure));
}

/** A name that stands for several addresses fails once for each, together and without words of their own. */
function reasonOf(error: unknown): string {
  const told = error instanceof AggregateError ? error.errors : [error];
  return told.map((one) => (one instanceof Error ? one.message : String(one))).join(", ");
}
