import type { Query } from "@/server/db/database";
import type { PassOutcome } from "@/server/reconcile/pass";
import { idOf } from "@/server/resources/ref";
import { redact } from "@/server/resources/yaml";

/** A spec as it was asked for, without its secrets. */
export type NewGeneration = { uid: string; generation: number; resourceId: string; at: string; spec: unknown };

/** Which spec of which object: what was deleted and made again begins anew. */
export function generationKey(uid: string, generation: number): string {
  return `${uid}/${generation}`;
}

export function generationOf({ kind, key, at, resourceAfter }: PassOutcome): NewGeneration | null {
  const { uid, generation } = resourceAfter?.metadata ?? {};
  if (!resourceAfter || uid === undefined || generation === undefined) return null;
  const spec = redact(resourceAfter.spec ?? {}).value;
  return { uid, generation, resourceId: idOf({ kind, ...key }), at: new Date(at).toISOString(), spec };
}

/** Stored twice it is stored once: a generation never changes. */
export async function insertGenerations(query: Query, generations: readonly NewGeneration[]): Promise<void> {
  if (generations.length === 0) return;
  await query(
    `INSERT INTO "Generation" ("uid", "generation", "resourceId", "at", "spec")
     SELECT "uid", "generation", "resourceId", "at", "spec"
     FROM jsonb_to_recordset($1::jsonb) AS given("uid" text, "generation" int, "resourceId" text, "at" timestamptz, "spec" jsonb)
     ON CONFLICT ("uid", "generation") DO NOTHING`,
    [JSON.stringify(generations)],
  );
}
