import { createHash } from "node:crypto";
import { contentHash } from "@/machines/content-hash";
import type { Kind } from "@/machines/kind";
import type { PassOutcome } from "@/server/reconcile/pass";
import { attention } from "@/server/resources/lifecycle-states";
import { project, type Projected } from "@/server/resources/project";
import { idOf } from "@/server/resources/ref";
import type { Memory } from "./entry";

/** A row to be written; `gone` leaves a mark for readers that are still to hear of it. */
export type RowEntry = { id: string; at: number; gone: true } | { id: string; at: number; gone: false; row: NewRow };

export type NewRow = Projected & {
  family: string;
  generation: number;
  resourceVersion: string;
  attention: number;
  known: PassOutcome["known"];
  machines: Record<string, string>;
  looksAgainAt: string | null;
  error: string | null;
  digest: string;
  seenAt: string;
};

/** The resource as the pass left it; null when it is not as its schema says and nothing can be told but that. */
export function rowEntryOf(outcome: PassOutcome, kind: Kind, before: Memory | undefined): RowEntry | null {
  const ref = { kind: outcome.kind, ...outcome.key };
  const id = idOf(ref);
  const object = outcome.resourceAfter;
  if (!object) return { id, at: outcome.at, gone: true };
  const parsed = kind.schema.safeParse(object);
  if (!parsed.success) return null;
  const known = Object.keys(outcome.known).length > 0 ? outcome.known : (before?.known ?? {});
  const projected = project({ ref, kind, object, resource: parsed.data, known });
  const machines = Object.entries(kind.lifecycles).map(([name, { machine }]) => [name, contentHash(machine)] as const);
  const again = outcome.plan?.requeueAfterMs ?? null;
  const visible = { ...projected, known, error: outcome.error ?? null, machines: Object.fromEntries(machines) };
  const row: NewRow = {
    ...visible,
    family: outcome.kind.split(".")[0] ?? "",
    generation: object.metadata.generation ?? 0,
    resourceVersion: object.metadata.resourceVersion ?? "",
    attention: attention[projected.tone],
    looksAgainAt: again === null ? null : new Date(outcome.at + again).toISOString(),
    digest: createHash("sha256").update(JSON.stringify(visible)).digest("base64url"),
    seenAt: new Date(outcome.at).toISOString(),
  };
  return { id, at: outcome.at, gone: false, row };
}
