import { expect } from "vitest";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Reply, type Target } from "@/server/sandbox/contract/target";

/** Objects that the cases make, and how they are made. */
export function configMap(name: string, data: Record<string, string> = {}, more: Record<string, unknown> = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more }, data };
}

export function configMapsIn(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps`;
}

export function deploymentsIn(namespace: string): string {
  return `/apis/apps/v1/namespaces/${namespace}/deployments`;
}

/** A Deployment of no replicas: nobody has to run anything for it. */
export function deployment(name: string, spec: Record<string, unknown> = {}) {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels: { app: name } },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "main", image: "localhost/busybox:1" }] },
      },
      ...spec,
    },
  };
}

export async function created({ send }: Target, path: string, body: unknown): Promise<KubernetesObject> {
  const { status, object, text } = await send("POST", path, { body });
  expect(status, text).toBe(201);
  return object;
}

export function namesOf({ object }: Reply): string[] {
  return (object["items"] as KubernetesObject[]).map(({ metadata }) => metadata.name);
}
