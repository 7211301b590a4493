import type { PrismaClient } from "@/prisma/generated/client";

/** Runs one SQL statement. Parameters are $1, $2, …; JSON goes in as text and is cast in the statement. */
export type Query = <Row extends object = Record<string, unknown>>(
  text: string,
  params?: readonly unknown[],
) => Promise<Row[]>;

/** PostgreSQL, embedded or a server: one dialect, one schema, the same statements. */
export type Database = {
  home: "embedded" | "server";
  /** Where the data is, in words fit for a log: never a password. */
  place: string;
  prisma: PrismaClient;
  query: Query;
  /** Inside `run` only the given query may be used: the embedded database has a single session. */
  transaction<T>(run: (query: Query) => Promise<T>): Promise<T>;
  /** News of other processes. `onGap` is called when some may have been missed; read what is new then. */
  listen(channel: string, listener: Listener): Promise<() => Promise<void>>;
  close(): Promise<void>;
};

export type Listener = { onNews: (payload: string) => void; onGap: () => void };
