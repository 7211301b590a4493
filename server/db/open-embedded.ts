import { mkdir } from "node:fs/promises";
import { PGlite, type Results } from "@electric-sql/pglite";
import { PrismaPGlite } from "pglite-prisma-adapter";
import { PrismaClient } from "@/prisma/generated/client";
import type { Database, Query } from "./database";
import { lockFolder } from "./lock-folder";

export type EmbeddedDatabase = Database & { dump: () => Promise<Blob> };

/** PostgreSQL in this process. It does not lock its folder itself, and two processes in one folder destroy it. */
export async function openEmbedded(folder: string | null, template?: Blob): Promise<EmbeddedDatabase> {
  if (folder !== null) await mkdir(folder, { recursive: true });
  const unlock = folder === null ? async () => undefined : await lockFolder(folder);
  let pglite: PGlite;
  try {
    pglite = await PGlite.create({
      ...(folder === null ? {} : { dataDir: folder }),
      ...(template ? { loadDataDir: template } : {}),
    });
    await pglite.exec("SET TIME ZONE 'UTC'");
  } catch (error) {
    await unlock();
    throw new Error(`The embedded database in ${folder ?? "memory"} does not open: ${String(error)}`, { cause: error });
  }
  const prisma = new PrismaClient({ adapter: new PrismaPGlite(pglite) });
  let closing: Promise<void> | undefined;
  const close = async () => {
    await prisma.$disconnect();
    if (!pglite.closed) await pglite.close();
    await unlock();
  };
  return {
    home: "embedded",
    place: folder ?? "memory",
    prisma,
    query: queryOf(pglite),
    transaction: (run) => pglite.transaction((transaction) => run(queryOf(transaction))),
    listen: async (channel, listener) => {
      const stop = await pglite.listen(channel, (payload) => listener.onNews(payload));
      return () => stop();
    },
    dump: () => pglite.dumpDataDir("none"),
    close: () => (closing ??= close()),
  };
}

type Session = { query: <Row>(text: string, params?: unknown[]) => Promise<Results<Row>> };

function queryOf(session: Session): Query {
  return async <Row extends object>(text: string, params: readonly unknown[] = []) =>
    (await session.query<Row>(text, [...params])).rows;
}
