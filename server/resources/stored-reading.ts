import type { Known } from "@/machines/facts";
import type { Kind } from "@/machines/kind";
import { kindOf, type Context } from "./context";
import type { Explained } from "./explain";
import { idOf, type Ref } from "./ref";
import { iso, type Row } from "./row";

type Stored = {
  lifecycles: Row["lifecycles"];
  known: Record<string, Known>;
  looksAgainAt: Date | null;
  error: string | null;
  seenAt: Date;
};

/** What the worker last read of a resource, for when the cluster does not answer. */
export async function storedReading(context: Context, ref: Ref): Promise<Explained | null> {
  const [stored] = await context.database.query<Stored>(
    `SELECT "lifecycles", "known", "looksAgainAt", "error", "seenAt" FROM "Resource" WHERE "id" = $1 AND "deletedAt" IS NULL`,
    [idOf(ref)],
  );
  if (!stored) return null;
  return {
    ref,
    kind: atStored(kindOf(context, ref.kind), stored.lifecycles),
    object: null,
    resource: null,
    known: stored.known,
    row: { looksAgainAt: iso(stored.looksAgainAt), error: stored.error },
    now: context.clock.now(),
    readAt: stored.seenAt.toISOString(),
  };
}

/** The kind with its lifecycles standing where they were stored: there is no object to ask. */
function atStored(kind: Kind, lifecycles: Row["lifecycles"]): Kind {
  const standing = Object.entries(kind.lifecycles).map(([name, lifecycle]) => {
    const stored = lifecycles[name];
    return [name, { ...lifecycle, stateOf: () => stored?.state ?? "", sinceOf: () => stored?.since ?? null }] as const;
  });
  return { ...kind, lifecycles: Object.fromEntries(standing) };
}
