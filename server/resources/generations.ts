import { stringify } from "yaml";
import type { GenerationAnswer } from "./history-answers";
import type { Asked } from "./context";
import { mustRead } from "./get";
import { idOf, type Ref } from "./ref";

type Stored = { generation: number; at: Date; spec: unknown };

/** What was asked for, newest first, of the object that has the name now or had it last. */
export async function generations(asked: Asked, ref: Ref, limit: number): Promise<GenerationAnswer[]> {
  await mustRead(asked, ref);
  const rows = await asked.database.query<Stored>(
    `SELECT "generation", "at", "spec" FROM "Generation"
     WHERE "uid" = (SELECT "uid" FROM "Generation" WHERE "resourceId" = $1 ORDER BY "at" DESC LIMIT 1)
     ORDER BY "generation" DESC LIMIT $2`,
    [idOf(ref), limit],
  );
  return rows.map(({ generation, at, spec }) => ({
    generation,
    at: at.toISOString(),
    yaml: stringify({ spec }, { sortMapEntries: true }),
  }));
}
