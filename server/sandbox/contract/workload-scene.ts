import { createScene, listed, make, nowhere, running, type Scene, workload } from "@/server/sandbox/contract/scene";
import { until } from "@/server/sandbox/contract/target";

export type Labelled = {
  metadata: {
    name: string;
    uid: string;
    labels: Record<string, string>;
    annotations?: Record<string, string>;
    creationTimestamp: string;
    ownerReferences: Record<string, unknown>[];
  };
};
type Condition = { type: string; status: string; reason: string; message: string; lastTransitionTime: string };
export type Pod = Labelled & {
  spec: {
    hostname: string;
    subdomain: string;
    volumes: { name: string; persistentVolumeClaim?: { claimName: string } }[];
  };
  status: { conditions: Condition[] };
};
export type Set = Labelled & {
  spec: { replicas: number };
  status: Record<string, unknown> & { conditions?: Condition[] };
};
export type Revision = Labelled & { revision: number };

const ready = "touch /tmp/ready; sleep 3600";
const ordered = running(ready, { readinessProbe: { exec: { command: ["cat", "/tmp/ready"] }, periodSeconds: 1 } });

/** The workloads that all cases look at. */
export const setUpWorkloads = createScene(async (scene) => {
  await make(scene, workload("StatefulSet", "ordered", { serviceName: "ordered", replicas: 2 }, ordered));
  await make(scene, workload("StatefulSet", "stuck", { serviceName: "stuck", replicas: 2 }));
  await make(
    scene,
    workload("StatefulSet", "burst", { serviceName: "burst", replicas: 3, podManagementPolicy: "Parallel" }),
  );
  await make(
    scene,
    workload(
      "StatefulSet",
      "homeless",
      { serviceName: "homeless", replicas: 1 },
      { ...nowhere, serviceAccountName: "absent" },
    ),
  );
  const claim = {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
  };
  await make(
    scene,
    workload("StatefulSet", "keeper", { serviceName: "keeper", replicas: 1, volumeClaimTemplates: [claim] }),
  );
  await make(scene, workload("Deployment", "rolled", { replicas: 2 }));
  await make(scene, workload("Deployment", "refused", { replicas: 1 }, { ...nowhere, serviceAccountName: "absent" }));
});

export const podsOf = (scene: Scene, app: string) => listed<Pod>(scene, "Pod", `?labelSelector=app=${app}`);
export const names = (objects: readonly Labelled[]) => objects.map(({ metadata }) => metadata.name).sort();

export function setsOf(scene: Scene, app: string): Promise<Set[]> {
  return listed<Set>(scene, "ReplicaSet", `?labelSelector=app=${app}`);
}

export async function replicaSetOf(scene: Scene, app: string): Promise<Set> {
  let found: Set | undefined;
  await until(
    `a ReplicaSet of ${app}`,
    async () =>
      (found = (await setsOf(scene, app)).toSorted((a, b) =>
        a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1,
      )[0]) !== undefined,
  );
  if (!found) throw new Error("unreachable: the wait ends with a ReplicaSet");
  return found;
}
