import type { Kind } from "@/machines/kind";
import type { Database } from "@/server/db/database";
import type { Identity } from "@/server/identity/identity";
import type { Question, Rights, Verdict } from "@/server/identity/rights";
import type { Visible } from "./page-filter";
import { Refused, type Refusal } from "./refusal";

/** Throws unless the caller may: every read of one resource begins here. */
export async function mustMay(rights: Rights, identity: Identity, question: Question): Promise<void> {
  const refusal = refusalOf(await rights.may(identity, question), question);
  if (refusal) throw new Refused(refusal.code, refusal.sentence, refusal.reason);
}

export function refusalOf(verdict: Verdict, question: Question): Refusal | null {
  if (verdict.allowed) return null;
  const { verb, api, namespace, name } = question;
  const what = `\`${verb}\` on ${api.plural}${api.group ? `.${api.group}` : ""}${name ? ` "${name}"` : ""}${namespace ? ` in namespace ${namespace}` : ""}`;
  if (verdict.unknown) {
    const sentence = `Whether you may ${what} could not be checked; try again.`;
    return { code: "check failed", sentence, reason: verdict.reason };
  }
  return { code: "permission", sentence: `This needs ${what}.`, reason: verdict.reason || null };
}

export type Listing = { database: Database; rights: Rights; kinds: Record<string, Kind> };

/** Which kinds in which namespaces the caller may list. Namespaces are asked for one by one only without the right to all. */
export async function visibleTo({ database, rights, kinds }: Listing, identity: Identity): Promise<Visible> {
  const entries = await Promise.all(
    Object.entries(kinds).map(async ([id, kind]) => {
      const verdict = await rights.may(identity, { verb: "list", api: kind.api });
      if (verdict.allowed) return [id, "everywhere"] as const;
      return [id, await namespacesOf({ database, rights }, identity, id, kind)] as const;
    }),
  );
  return Object.fromEntries<Visible[string]>(entries);
}

async function namespacesOf(
  { database, rights }: Omit<Listing, "kinds">,
  identity: Identity,
  id: string,
  kind: Kind,
): Promise<string[]> {
  const used = await database.query<{ namespace: string }>(
    `SELECT DISTINCT "namespace" FROM "Resource" WHERE "kind" = $1 AND "deletedAt" IS NULL`,
    [id],
  );
  const asked = await Promise.all(
    used.map(async ({ namespace }) => ({
      namespace,
      verdict: await rights.may(identity, { verb: "list", api: kind.api, namespace }),
    })),
  );
  return asked.filter(({ verdict }) => verdict.allowed).map(({ namespace }) => namespace);
}
