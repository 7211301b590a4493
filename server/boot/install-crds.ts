import { setTimeout as sleep } from "node:timers/promises";
import { crdOf } from "@/machines/crd";
import { kinds } from "@/machines/families";
import { crdFolderFor } from "@/server/boot/crd-folders";
import { UsageError } from "@/server/env";
import { apis } from "@/server/kubernetes/apis";
import type { KubernetesClient } from "@/server/kubernetes/client";
import { isNotFound } from "@/server/kubernetes/errors";
import type { KubernetesObject } from "@/server/kubernetes/object";

const ESTABLISHED_MS_MAX = 30_000;
const LOOK_MS = 50;

/** The definitions of every kind, as they are in deploy/crds, brought into a cluster of our own. */
export async function installCrds(client: KubernetesClient): Promise<void> {
  await Promise.all(
    Object.values(kinds).map(async (kind) => {
      // The generated definition is plain JSON of the shape that every object has.
      const crd = crdOf(kind) as unknown as KubernetesObject;
      const { name } = crd.metadata;
      await client.patch(apis.customResourceDefinition, { name }, crd, {
        type: "apply",
        fieldManager: "orrery",
        force: true,
      });
      await untilEstablished(client, name);
    }),
  );
}

/** A cluster that is not ours is changed by its owner: what is missing is named. */
export async function requireCrds(client: KubernetesClient): Promise<void> {
  const names = Object.values(kinds).map((kind) => `${kind.api.plural}.${kind.api.group}`);
  const found = await Promise.all(
    names.map((name) =>
      client.get(apis.customResourceDefinition, { name }).then(
        () => true,
        (error: unknown) => {
          if (isNotFound(error)) return false;
          throw error;
        },
      ),
    ),
  );
  const missing = names.filter((_name, at) => !found[at]);
  if (missing.length === 0) return;
  // Every server says its version as these two strings, and to everybody.
  const { body } = await client.request("GET", "/version");
  const folder = crdFolderFor(body as { major?: string; minor?: string });
  throw new UsageError(
    `The cluster does not know ${missing.join(", ")}: run \`kubectl apply -f ${folder}\` on it first.`,
  );
}

async function untilEstablished(client: KubernetesClient, name: string): Promise<void> {
  for (let waited = 0; waited < ESTABLISHED_MS_MAX; waited += LOOK_MS) {
    const crd = await client.get(apis.customResourceDefinition, { name });
    const conditions = (crd.status?.conditions ?? []) as { type: string; status: string }[];
    if (conditions.some(({ type, status }) => type === "Established" && status === "True")) return;
    await sleep(LOOK_MS);
  }
  throw new Error(`the CustomResourceDefinition ${name} is not established`);
}
