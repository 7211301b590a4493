import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import {
  at,
  createScene,
  eventOf,
  listed,
  make,
  nowhere,
  running,
  seen,
  workload,
} from "@/server/sandbox/contract/scene";
import { until } from "@/server/sandbox/contract/target";

type Labelled = {
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
type Pod = Labelled & {
  spec: {
    hostname: string;
    subdomain: string;
    volumes: { name: string; persistentVolumeClaim?: { claimName: string } }[];
  };
  status: { conditions: Condition[] };
};
type Set = Labelled & { spec: { replicas: number }; status: Record<string, unknown> & { conditions?: Condition[] } };
type Revision = Labelled & { revision: number };

const ready = "touch /tmp/ready; sleep 3600";
const ordered = running(ready, { readinessProbe: { exec: { command: ["cat", "/tmp/ready"] }, periodSeconds: 1 } });

const setUp = createScene(async (scene) => {
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

const podsOf = (scene: { target: Parameters<typeof setUp>[0]; namespace: string }, app: string) =>
  listed<Pod>(scene, "Pod", `?labelSelector=app=${app}`);
const names = (objects: readonly Labelled[]) => objects.map(({ metadata }) => metadata.name).sort();

export const workloadsContract = topic(
  "workloads",
  (promises) => {
    promises(
      "a StatefulSet creates each pod when the one before it is ready, with its name, its host name and its labels",
      async (target) => {
        const scene = await setUp(target);
        const second = await seen<Pod>(scene, "Pod", "ordered-1", () => true);
        const first = await seen<Pod>(scene, "Pod", "ordered-0", () => true);
        const since =
          first.status.conditions.find(({ type, status }) => type === "Ready" && status === "True")
            ?.lastTransitionTime ?? "9";
        expect(second.metadata.creationTimestamp >= since).toBe(true);
        expect(second.spec).toMatchObject({ hostname: "ordered-1", subdomain: "ordered" });
        expect(second.metadata.labels).toMatchObject({
          app: "ordered",
          "statefulset.kubernetes.io/pod-name": "ordered-1",
        });
        expect(second.metadata.ownerReferences[0]).toMatchObject({
          apiVersion: "apps/v1",
          kind: "StatefulSet",
          name: "ordered",
          controller: true,
          blockOwnerDeletion: true,
        });
        await eventOf(scene, "ordered", "SuccessfulCreate", "create Pod ordered-1 in StatefulSet ordered successful");
        const set = await seen<Set>(scene, "StatefulSet", "ordered", ({ status }) => status["readyReplicas"] === 2);
        expect(set.status).toMatchObject({
          observedGeneration: 1,
          replicas: 2,
          currentReplicas: 2,
          updatedReplicas: 2,
        });
        expect(set.status["currentRevision"]).toBe(set.status["updateRevision"]);
        expect(second.metadata.labels["controller-revision-hash"]).toBe(set.status["updateRevision"]);
      },
    );

    promises(
      "a StatefulSet in order stops at the first pod that does not become ready; a parallel one does not",
      async (target) => {
        const scene = await setUp(target);
        await until("the parallel pods", async () => (await podsOf(scene, "burst")).length === 3);
        expect(names(await podsOf(scene, "burst"))).toEqual(["burst-0", "burst-1", "burst-2"]);
        await seen<Set>(scene, "StatefulSet", "stuck", ({ status }) => status["replicas"] === 1);
        expect(names(await podsOf(scene, "stuck"))).toEqual(["stuck-0"]);
      },
    );

    promises("a StatefulSet scales down from its highest ordinal", async (target) => {
      const scene = await setUp(target);
      await until("the parallel pods", async () => (await podsOf(scene, "burst")).length === 3);
      await target.send("PATCH", at(scene, "StatefulSet", "burst"), { body: { spec: { replicas: 1 } } });
      await eventOf(scene, "burst", "SuccessfulDelete", "delete Pod burst-2 in StatefulSet burst successful");
      await until("the end of two pods", async () => (await podsOf(scene, "burst")).length === 1);
      expect(names(await podsOf(scene, "burst"))).toEqual(["burst-0"]);
    });

    promises(
      "a missing ServiceAccount is told by an event whose count grows, and is over when the account is there",
      async (target) => {
        const scene = await setUp(target);
        const text = `create Pod homeless-0 in StatefulSet homeless failed error: pods "homeless-0" is forbidden: error looking up service account ${scene.namespace}/absent: serviceaccount "absent" not found`;
        const first = await eventOf(scene, "homeless", "FailedCreate", text);
        expect(first).toMatchObject({
          type: "Warning",
          source: { component: "statefulset-controller" },
          involvedObject: { kind: "StatefulSet" },
        });
        await until(
          "a second try",
          async () => ((await eventOf(scene, "homeless", "FailedCreate", text)).count ?? 0) >= 2,
        );
        expect((await eventOf(scene, "homeless", "FailedCreate", text)).metadata.name).toBe(first.metadata.name);
        const refused = await eventOf(scene, (await replicaSetOf(scene, "refused")).metadata.name, "FailedCreate");
        expect(refused.message).toMatch(
          /^Error creating: pods "refused-[a-z0-9]+-" is forbidden: error looking up service account [^ ]+: serviceaccount "absent" not found$/,
        );
        expect(refused.source).toMatchObject({ component: "replicaset-controller" });
        const deployment = await seen<Set>(
          scene,
          "Deployment",
          "refused",
          ({ status }) => status.conditions?.some(({ type }) => type === "ReplicaFailure") ?? false,
        );
        expect(deployment.status.conditions?.find(({ type }) => type === "ReplicaFailure")).toMatchObject({
          status: "True",
          reason: "FailedCreate",
        });
        await make(scene, { kind: "ServiceAccount", metadata: { name: "absent" } });
        await seen<Pod>(scene, "Pod", "homeless-0", () => true);
        await until("the pod of the deployment", async () => (await podsOf(scene, "refused")).length === 1, 120_000);
      },
    );

    promises("an exceeded quota is told in the words of the quota", async (target) => {
      const namespace = await target.namespace();
      const scene = { target, namespace };
      await make(scene, { kind: "ResourceQuota", metadata: { name: "none" }, spec: { hard: { pods: "0" } } });
      await until("the quota's status", async () => {
        const { object } = await target.send("GET", at(scene, "ResourceQuota", "none"));
        return (object.status?.["hard"] as Record<string, string> | undefined)?.["pods"] === "0";
      });
      await make(scene, workload("StatefulSet", "greedy", { serviceName: "greedy", replicas: 1 }));
      const { message } = await eventOf(scene, "greedy", "FailedCreate");
      expect(message).toBe(
        'create Pod greedy-0 in StatefulSet greedy failed error: pods "greedy-0" is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0',
      );
    });

    promises("claims of a StatefulSet are made before the pod, by name, and mounted", async (target) => {
      const scene = await setUp(target);
      const pod = await seen<Pod>(scene, "Pod", "keeper-0", () => true);
      expect(pod.spec.volumes.find(({ name }) => name === "data")?.persistentVolumeClaim?.claimName).toBe(
        "data-keeper-0",
      );
      const claim = await seen<Labelled>(scene, "PersistentVolumeClaim", "data-keeper-0", () => true);
      expect(claim.metadata.labels).toMatchObject({ app: "keeper" });
      await eventOf(
        scene,
        "keeper",
        "SuccessfulCreate",
        "create Claim data-keeper-0 Pod keeper-0 in StatefulSet keeper success",
      );
    });

    promises("a changed template makes a new revision; pods below the partition keep theirs", async (target) => {
      const scene = await setUp(target);
      const before = await seen<Set>(scene, "StatefulSet", "ordered", ({ status }) => status["readyReplicas"] === 2);
      await target.send("PATCH", at(scene, "StatefulSet", "ordered"), {
        body: {
          spec: {
            updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
            template: { metadata: { annotations: { round: "two" } } },
          },
        },
      });
      const after = await seen<Set>(
        scene,
        "StatefulSet",
        "ordered",
        ({ status }) => status["observedGeneration"] === 2,
      );
      expect(after.status["updateRevision"]).not.toBe(before.status["updateRevision"]);
      expect(after.status).toMatchObject({
        currentRevision: before.status["currentRevision"],
        currentReplicas: 2,
        readyReplicas: 2,
      });
      const revisions = (await listed<Revision>(scene, "ControllerRevision")).filter(
        ({ metadata }) => metadata.ownerReferences[0]?.["name"] === "ordered",
      );
      expect(revisions.map(({ revision }) => revision).sort()).toEqual([1, 2]);
      const hashes = (await podsOf(scene, "ordered")).map(
        ({ metadata }) => metadata.labels["controller-revision-hash"],
      );
      expect(hashes).toEqual([before.status["currentRevision"], before.status["currentRevision"]]);
    });

    promises(
      "a Deployment makes a ReplicaSet for its template, and says that it progresses and is not available yet",
      async (target) => {
        const scene = await setUp(target);
        const set = await replicaSetOf(scene, "rolled");
        const hash = set.metadata.labels["pod-template-hash"] ?? "";
        expect(set.metadata.name).toBe(`rolled-${hash}`);
        expect(set.metadata.annotations).toMatchObject({
          "deployment.kubernetes.io/revision": "1",
          "deployment.kubernetes.io/desired-replicas": "2",
          "deployment.kubernetes.io/max-replicas": "3",
        });
        await eventOf(
          scene,
          "rolled",
          "ScalingReplicaSet",
          new RegExp(`^Scaled up replica set ${set.metadata.name} (from 0 )?to 2$`),
        );
        await eventOf(
          scene,
          set.metadata.name,
          "SuccessfulCreate",
          new RegExp(`^Created pod: ${set.metadata.name}-[a-z0-9]{5}$`),
        );
        const deployment = await seen<Set>(scene, "Deployment", "rolled", ({ status }) => status["replicas"] === 2);
        expect(deployment.metadata.annotations).toMatchObject({ "deployment.kubernetes.io/revision": "1" });
        expect(deployment.status).toMatchObject({ observedGeneration: 1, updatedReplicas: 2, unavailableReplicas: 2 });
        const available = deployment.status.conditions?.find(({ type }) => type === "Available");
        expect(available).toMatchObject({
          status: "False",
          reason: "MinimumReplicasUnavailable",
          message: "Deployment does not have minimum availability.",
        });
        expect(deployment.status.conditions?.find(({ type }) => type === "Progressing")).toMatchObject({
          status: "True",
        });
      },
    );

    promises(
      "a paused Deployment scales but does not roll; resumed it rolls, and going back reuses the old ReplicaSet",
      async (target) => {
        const scene = await setUp(target);
        const first = await replicaSetOf(scene, "rolled");
        const path = at(scene, "Deployment", "rolled");
        const annotate = (round: string | null) => ({ template: { metadata: { annotations: { round } } } });
        await target.send("PATCH", path, { body: { spec: { paused: true, replicas: 3, ...annotate("two") } } });
        await seen<Set>(scene, "ReplicaSet", first.metadata.name, ({ spec }) => spec.replicas === 3);
        expect((await setsOf(scene, "rolled")).length).toBe(1);
        await target.send("PATCH", path, { body: { spec: { paused: false } } });
        await until("a second ReplicaSet", async () => (await setsOf(scene, "rolled")).length === 2);
        await seen<Set>(
          scene,
          "Deployment",
          "rolled",
          ({ metadata }) => metadata.annotations?.["deployment.kubernetes.io/revision"] === "2",
        );
        await target.send("PATCH", path, { body: { spec: annotate(null) } });
        await seen<Set>(
          scene,
          "ReplicaSet",
          first.metadata.name,
          ({ metadata }) => metadata.annotations?.["deployment.kubernetes.io/revision"] === "3",
        );
        expect((await setsOf(scene, "rolled")).length).toBe(2);
      },
    );

    promises(
      "a ReplicaSet adopts pods that fit and belong to nobody, and makes only those that are missing",
      async (target) => {
        const scene = await setUp(target);
        const orphan = await make(scene, {
          kind: "Pod",
          metadata: { name: "orphan", labels: { app: "family" } },
          spec: nowhere,
        });
        await make(scene, workload("ReplicaSet", "family", { replicas: 2 }));
        const adopted = await seen<Pod>(
          scene,
          "Pod",
          "orphan",
          ({ metadata }) => (metadata.ownerReferences as unknown[] | undefined) !== undefined,
        );
        expect(adopted.metadata).toMatchObject({
          uid: orphan.metadata.uid,
          ownerReferences: [{ kind: "ReplicaSet", name: "family", controller: true }],
        });
        await seen<Set>(scene, "ReplicaSet", "family", ({ status }) => status["replicas"] === 2);
        expect((await podsOf(scene, "family")).length).toBe(2);
      },
    );
  },
  { shareScene: true },
);

type InScene = { target: Parameters<typeof setUp>[0]; namespace: string };

function setsOf(scene: InScene, app: string): Promise<Set[]> {
  return listed<Set>(scene, "ReplicaSet", `?labelSelector=app=${app}`);
}

async function replicaSetOf(scene: InScene, app: string): Promise<Set> {
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
