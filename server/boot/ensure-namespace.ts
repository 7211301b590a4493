import { UsageError } from "@/server/env";
import { apis } from "@/server/kubernetes/apis";
import type { KubernetesClient } from "@/server/kubernetes/client";
import { isAlreadyExists, isNotFound } from "@/server/kubernetes/errors";

/** The namespace of our lease and our webhook's secret, made in a cluster of our own. */
export async function ensureNamespace(client: KubernetesClient, name: string): Promise<void> {
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await client.create(apis.namespace, object).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

/** In a cluster that is not ours, the owner makes it. */
export async function requireNamespace(client: KubernetesClient, name: string): Promise<void> {
  await client.get(apis.namespace, { name }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new UsageError(
      `The cluster has no namespace ${name}: run \`kubectl create namespace ${name}\`, or name another with --namespace.`,
    );
  });
}
