import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { at, eventOf, make, nowhere, seen, workload } from "@/server/sandbox/contract/scene";
import { until } from "@/server/sandbox/contract/target";
import {
  type Pod,
  podsOf,
  replicaSetOf,
  type Set,
  setsOf,
  setUpWorkloads,
} from "@/server/sandbox/contract/workload-scene";

export const deploymentsContract = topic(
  "Deployments and ReplicaSets",
  (promises) => {
    promises(
      "a Deployment makes a ReplicaSet for its template, and says that it progresses and is not available yet",
      async (target) => {
        const scene = await setUpWorkloads(target);
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
        const scene = await setUpWorkloads(target);
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
        const scene = await setUpWorkloads(target);
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
