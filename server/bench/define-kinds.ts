import { crdOf } from "@/machines/crd";
import type { Kind } from "@/machines/kind";
import { apis } from "@/server/kubernetes/apis";
import type { KubernetesClient } from "@/server/kubernetes/client";
import { isAlreadyExists } from "@/server/kubernetes/errors";

/** The definitions of these kinds, made where they are missing, and served before this returns. */
export async function defineKinds(client: KubernetesClient, kinds: readonly Kind[]): Promise<void> {
  for (const kind of kinds) {
    await client.create(apis.customResourceDefinition, crdOf(kind)).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    for (let served = false; !served;) {
      served = await client.list(kind.api, { limit: 1 }).then(
        () => true,
        () => false,
      );
    }
  }
}
