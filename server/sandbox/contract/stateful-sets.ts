import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import { at, eventOf, listed, make, seen, workload } from "@/server/sandbox/contract/scene";
import { until } from "@/server/sandbox/contract/target";
import {
  type Labelled,
  names,
  type Pod,
  podsOf,
  replicaSetOf,
  type Revision,
  type Set,
  setUpWorkloads,
} from "@/server/sandbox/contract/workload-scene";

export const statefulSetsContract = topic(
  "StatefulSets",
  (promises) => {
    promises(
      "a StatefulSet creates each pod when the one before it is ready, with its name, its host name and its labels",
      async (target) => {
        const scene = await setUpWorkloads(target);
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
        const scene = await setUpWorkloads(target);
        await until("the parallel pods", async () => (await podsOf(scene, "burst")).length === 3);
        expect(names(await podsOf(scene, "burst"))).toEqual(["burst-0", "burst-1", "burst-2"]);
        await seen<Set>(scene, "StatefulSet", "stuck", ({ status }) => status["replicas"] === 1);
        expect(names(await podsOf(scene, "stuck"))).toEqual(["stuck-0"]);
      },
    );

    promises("a StatefulSet scales down from its highest ordinal", async (target) => {
      const scene = await setUpWorkloads(target);
      await until("the parallel pods", async () => (await podsOf(scene, "burst")).length === 3);
      await target.send("PATCH", at(scene, "StatefulSet", "burst"), { body: { spec: { replicas: 1 } } });
      await eventOf(scene, "burst", "SuccessfulDelete", "delete Pod burst-2 in StatefulSet burst successful");
      await until("the end of two pods", async () => (await podsOf(scene, "burst")).length === 1);
      expect(names(await podsOf(scene, "burst"))).toEqual(["burst-0"]);
    });

    promises(
      "a missing ServiceAccount is told by an event whose count grows, and is over when the account is there",
      async (target) => {
        const scene = await setUpWorkloads(target);
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
      const scene = await setUpWorkloads(target);
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
      const scene = await setUpWorkloads(target);
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
  },
  { shareScene: true },
);
