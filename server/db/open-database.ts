import { join } from "node:path";
import type { Database } from "./database";
import { migrate } from "./migrate";
import { openEmbedded } from "./open-embedded";
import { openServer } from "./open-server";

export type DatabaseOptions = {
  /** A PostgreSQL server; without it the embedded database in `dataDir` is used, or in memory when that is null. */
  url?: string | undefined;
  dataDir: string | null;
  connectionsMax?: number;
};

/** Opens the database that the options name, with every migration applied. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const database = options.url
    ? await openServer(options.url, options.connectionsMax)
    : await openEmbedded(options.dataDir === null ? null : join(options.dataDir, "database"));
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}
