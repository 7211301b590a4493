import { type KubernetesObject } from "@/server/kubernetes/object";

const namespace = "shop";
const apiVersion = "compute.firebolt.io/v1alpha1";

/** The demo's share of this family: an instance, a class and three engines, one of them stuck on a missing ServiceAccount. */
export function fireboltDemo(): KubernetesObject[] {
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    resource("FireboltInstance", "main", { metadata: {}, gateway: { replicas: 2 } }),
    resource("FireboltEngineClass", "memory-heavy", {
      template: {
        metadata: { labels: { "example.com/cost-centre": "analytics" } },
        spec: {
          containers: [
            {
              name: "engine",
              resources: { requests: { cpu: "500m", memory: "1Gi" }, limits: { memory: "2Gi" } },
              env: [{ name: "CACHE_MODE", value: "large" }],
            },
          ],
        },
      },
      drainCheckInterval: "5s",
    }),
    resource("FireboltEngine", "analytics", { instanceRef: "main", engineClassRef: "memory-heavy", replicas: 3 }),
    resource("FireboltEngine", "reporting", {
      instanceRef: "main",
      replicas: 1,
      customEngineConfig: { engine: { query_timeout: "5m" } },
    }),
    // Nobody made this account: the engine shows what the StatefulSet controller says about it.
    resource("FireboltEngine", "ingest", {
      instanceRef: "main",
      replicas: 2,
      template: { spec: { serviceAccountName: "ingest-writer" } },
    }),
  ];
}

function resource(kind: string, name: string, spec: Record<string, unknown>): KubernetesObject {
  return { apiVersion, kind, metadata: { name, namespace }, spec };
}
