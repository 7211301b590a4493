import { z } from "zod";
import orrery from "@/package.json" with { type: "json" };
import type { Asked } from "./context";
import { time } from "./row";

export const whoamiSchema = z.object({
  name: z.string(),
  groups: z.array(z.string()),
  identity: z.enum(["none", "token", "oidc"]),
  expiresAt: time.nullable(),
  cluster: z.string(),
  sandbox: z.boolean(),
  version: z.string().describe("of the cluster"),
  versions: z.object({ orrery: z.string(), node: z.string() }).describe("of what answers"),
  projection: z
    .object({ lagMs: z.int(), buffered: z.int(), dropped: z.int(), at: time })
    .nullable()
    .describe("how far what is shown lies behind the cluster; null: no worker has written yet"),
  staleMs: z.number().describe("how long the database has not answered"),
});

export type AboutHere = { cluster: string; sandbox: boolean; identity: "none" | "token" | "oidc"; version: string };

/** Who asks, of which cluster, and how fresh what is shown is. */
export async function whoami(
  { identity, database, hub }: Asked,
  about: AboutHere,
): Promise<z.infer<typeof whoamiSchema>> {
  const [projection] = await database.query<{ lagMs: number; buffered: number; dropped: number; at: Date }>(
    `SELECT "lagMs", "buffered", "dropped"::float8 AS "dropped", "at" FROM "Projection" WHERE "name" = 'worker'`,
  );
  return {
    name: identity.name,
    groups: [...identity.groups],
    expiresAt: identity.expiresAt === null ? null : new Date(identity.expiresAt).toISOString(),
    ...about,
    versions: { orrery: orrery.version, node: process.versions.node },
    projection: projection ? { ...projection, at: projection.at.toISOString() } : null,
    staleMs: hub.staleMs(),
  };
}
