import type { Diagram } from "@/machines/arrows";
import type { Database } from "@/server/db/database";
import { layoutMachine, type Layout } from "@/server/layout/layout-machine";

type Layouts = { large: Layout; folded: Layout | null; small: Layout; version: number };

/** Of the code that makes layouts: what an older one made is made anew. */
const VERSION = 7;

const known = new WeakMap<Database, Map<string, Promise<Layouts>>>();

/** Computed once per machine, here or by a process before us; the database keeps it by the machine's hash. */
export function layoutsOf(database: Database, hash: string, diagram: Diagram): Promise<Layouts> {
  const kept = known.get(database) ?? new Map<string, Promise<Layouts>>();
  known.set(database, kept);
  const found = kept.get(hash) ?? loadOrCompute(database, hash, diagram);
  kept.set(hash, found);
  found.catch(() => kept.delete(hash));
  return found;
}

async function loadOrCompute(database: Database, hash: string, diagram: Diagram): Promise<Layouts> {
  const stored = await storedLayouts(database, hash);
  if (stored?.version === VERSION) return stored;
  const hasBoxes = Object.keys(diagram.boxes).length > 0;
  const layouts = {
    version: VERSION,
    large: layoutMachine(diagram, "large"),
    folded: hasBoxes ? layoutMachine(diagram, "folded") : null,
    small: layoutMachine(diagram, "small"),
  };
  await database.query(`UPDATE "Machine" SET "layout" = $2::jsonb WHERE "hash" = $1`, [hash, JSON.stringify(layouts)]);
  return layouts;
}

async function storedLayouts(database: Database, hash: string): Promise<Layouts | null> {
  const [row] = await database.query<{ layout: Layouts | null }>(`SELECT "layout" FROM "Machine" WHERE "hash" = $1`, [
    hash,
  ]);
  return row?.layout ?? null;
}
