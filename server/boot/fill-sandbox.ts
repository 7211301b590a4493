import { demoFleet } from "@/server/demo";
import { apis } from "@/server/kubernetes/apis";
import type { KubernetesClient } from "@/server/kubernetes/client";
import { isAlreadyExists, isNotFound } from "@/server/kubernetes/errors";

const MARK = { name: "orrery-demo", namespace: "default" };

/** The demo fleet, once: what a user has changed or deleted since stays so, and a filling that broke off is completed. */
export async function fillSandbox(client: KubernetesClient): Promise<void> {
  const filled = await client.get(apis.configMap, MARK).catch((error: unknown) => {
    if (isNotFound(error)) return null;
    throw error;
  });
  if (filled) return;
  for (const { api, object } of demoFleet()) {
    await client.create(api, object).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
  await client.create(apis.configMap, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: MARK,
    data: { filled: "true" },
  });
}
