import { expect } from "vitest";
import { topic } from "@/server/sandbox/contract/contract-case";
import {
  at,
  createScene,
  type Draft,
  eventOf,
  gone,
  listed,
  make,
  running,
  seen,
  workload,
} from "@/server/sandbox/contract/scene";
import { type Target, unique, until } from "@/server/sandbox/contract/target";

type Kept = {
  metadata: {
    name: string;
    uid: string;
    finalizers?: string[];
    deletionTimestamp?: string;
    ownerReferences?: { uid: string }[];
  };
};
type Bindable = Kept & {
  spec: { volumeName?: string; storageClassName?: string; claimRef?: { name: string } };
  status: { phase: string };
};
type Terminating = Kept & {
  status: { phase: string; conditions?: { type: string; status: string; reason: string; message: string }[] };
};

const HOLD = "contract.orrery.dev/hold";
const setUp = createScene(async () => undefined);

function owned(name: string, owners: readonly Kept[], more: Record<string, unknown> = {}): Draft {
  const ownerReferences = owners.map(({ metadata }) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: metadata.name,
    uid: metadata.uid,
    blockOwnerDeletion: true,
  }));
  return { kind: "ConfigMap", metadata: { name, ownerReferences, ...more } };
}

const owner = (name: string): Draft => ({ kind: "ConfigMap", metadata: { name } });

async function make2(scene: Parameters<typeof make>[0], draft: Draft): Promise<Kept> {
  return (await make(scene, draft)) as unknown as Kept; // what was created has a name and a uid
}

export const ownershipContract = topic(
  "ownership",
  (promises) => {
    promises("what belongs to a deleted object goes after it, down to the last link", async (target) => {
      const scene = await setUp(target);
      await make(scene, workload("Deployment", "chain", { replicas: 1 }));
      await until("the pod", async () => (await listed<Kept>(scene, "Pod", "?labelSelector=app=chain")).length === 1);
      await target.send("DELETE", at(scene, "Deployment", "chain"), { body: { propagationPolicy: "Background" } });
      await until(
        "the end of all",
        async () =>
          (await listed<Kept>(scene, "Pod", "?labelSelector=app=chain")).length +
            (await listed<Kept>(scene, "ReplicaSet", "?labelSelector=app=chain")).length ===
          0,
      );
    });

    promises("foreground deletion keeps the owner until what blocks it is gone", async (target) => {
      const scene = await setUp(target);
      const parent = await make2(scene, owner("parent"));
      await make(scene, owned("child", [parent], { finalizers: [HOLD] }));
      await target.send("DELETE", at(scene, "ConfigMap", "parent"), { body: { propagationPolicy: "Foreground" } });
      await seen<Kept>(scene, "ConfigMap", "child", ({ metadata }) => metadata.deletionTimestamp !== undefined);
      const held = await seen<Kept>(scene, "ConfigMap", "parent", () => true);
      expect(held.metadata).toMatchObject({
        finalizers: ["foregroundDeletion"],
        deletionTimestamp: expect.any(String),
      });
      await target.send("PATCH", at(scene, "ConfigMap", "child"), { body: { metadata: { finalizers: null } } });
      await gone(scene, "ConfigMap", "child");
      await gone(scene, "ConfigMap", "parent");
    });

    promises("orphaning leaves what belonged to the object, without its owner", async (target) => {
      const scene = await setUp(target);
      const parent = await make2(scene, owner("careless"));
      await make(scene, owned("waif", [parent]));
      await target.send("DELETE", at(scene, "ConfigMap", "careless"), { body: { propagationPolicy: "Orphan" } });
      await gone(scene, "ConfigMap", "careless");
      const waif = await seen<Kept>(
        scene,
        "ConfigMap",
        "waif",
        ({ metadata }) => (metadata.ownerReferences ?? []).length === 0,
      );
      expect(waif.metadata.deletionTimestamp).toBeUndefined();
    });

    promises("an object with two owners stays while one of them does", async (target) => {
      const scene = await setUp(target);
      const [left, right] = [await make2(scene, owner("left")), await make2(scene, owner("right"))];
      await make(scene, owned("shared", [left, right]));
      await target.send("DELETE", at(scene, "ConfigMap", "left"), { body: { propagationPolicy: "Background" } });
      await seen<Kept>(scene, "ConfigMap", "shared", ({ metadata }) => metadata.ownerReferences?.length === 1);
      await target.send("DELETE", at(scene, "ConfigMap", "right"), { body: { propagationPolicy: "Background" } });
      await gone(scene, "ConfigMap", "shared");
    });

    promises("an object whose owner never was is collected", async (target) => {
      const scene = await setUp(target);
      await make(
        scene,
        owned("stray", [{ metadata: { name: "nobody", uid: "00000000-0000-4000-8000-000000000000" } }]),
      );
      await gone(scene, "ConfigMap", "stray");
    });

    promises(
      "every namespace gets its ServiceAccount and the authority's certificate, again when they are deleted",
      async (target) => {
        const scene = await setUp(target);
        const before = await seen<Kept>(scene, "ServiceAccount", "default", () => true);
        const { object } = await target.send("GET", at(scene, "ConfigMap", "kube-root-ca.crt"));
        expect(Object.keys(object["data"] ?? {})).toEqual(["ca.crt"]);
        await target.send("DELETE", at(scene, "ServiceAccount", "default"));
        await seen<Kept>(scene, "ServiceAccount", "default", ({ metadata }) => metadata.uid !== before.metadata.uid);
      },
    );

    promises("a namespace that is deleted says what it waits for, and goes when that is gone", async (target) => {
      const namespace = await target.namespace();
      const scene = { target, namespace };
      await make(scene, { kind: "ConfigMap", metadata: { name: "held", finalizers: [HOLD] } });
      await target.send("DELETE", `/api/v1/namespaces/${namespace}`);
      let last: Terminating | undefined;
      const waits = async () => {
        last = (await target.send("GET", `/api/v1/namespaces/${namespace}`)).object as unknown as Terminating; // looked at below
        return (
          last.status.conditions?.some(
            ({ type, status }) => type === "NamespaceFinalizersRemaining" && status === "True",
          ) ?? false
        );
      };
      await until("the conditions", waits);
      const said = Object.fromEntries(
        (last?.status.conditions ?? []).map(({ type, reason, message }) => [type, `${reason}: ${message}`]),
      );
      expect(last?.status.phase).toBe("Terminating");
      expect(said).toMatchObject({
        NamespaceDeletionDiscoveryFailure: "ResourcesDiscovered: All resources successfully discovered",
        NamespaceDeletionContentFailure:
          "ContentDeleted: All content successfully deleted, may be waiting on finalization",
        NamespaceContentRemaining:
          "SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances",
        NamespaceFinalizersRemaining: `SomeFinalizersRemain: Some content in the namespace has finalizers remaining: ${HOLD} in 1 resource instances`,
      });
      await target.send("PATCH", at(scene, "ConfigMap", "held"), { body: { metadata: { finalizers: null } } });
      await until(
        "the end of the namespace",
        async () => (await target.send("GET", `/api/v1/namespaces/${namespace}`)).status === 404,
        120_000,
      );
    });

    promises("a claim finds the volume of its class, and the volume is released with it", async (target) => {
      const scene = await setUp(target);
      const name = unique("volume");
      await post(target, "/api/v1/persistentvolumes", {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name },
        spec: {
          capacity: { storage: "2Mi" },
          accessModes: ["ReadWriteOnce"],
          persistentVolumeReclaimPolicy: "Retain",
          storageClassName: name,
          hostPath: { path: `/tmp/${name}` },
        },
      });
      await make(scene, {
        kind: "PersistentVolumeClaim",
        metadata: { name: "bound" },
        spec: { storageClassName: name, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
      });
      const claim = await seen<Bindable>(
        scene,
        "PersistentVolumeClaim",
        "bound",
        ({ status }) => status.phase === "Bound",
      );
      expect(claim).toMatchObject({
        metadata: { finalizers: ["kubernetes.io/pvc-protection"] },
        spec: { volumeName: name },
        status: { capacity: { storage: "2Mi" } },
      });
      await target.send("DELETE", at(scene, "PersistentVolumeClaim", "bound"));
      await gone(scene, "PersistentVolumeClaim", "bound");
      await until(
        "the release",
        async () =>
          ((await target.send("GET", `/api/v1/persistentvolumes/${name}`)).object as unknown as Bindable).status
            .phase === "Released",
      );
    });

    promises(
      "a claim of a class that waits for its consumer waits, and one of a class that is not there is told so",
      async (target) => {
        const scene = await setUp(target);
        const name = unique("lazy");
        await post(target, "/apis/storage.k8s.io/v1/storageclasses", {
          apiVersion: "storage.k8s.io/v1",
          kind: "StorageClass",
          metadata: { name },
          provisioner: "kubernetes.io/no-provisioner",
          volumeBindingMode: "WaitForFirstConsumer",
        });
        const claim = (claimName: string, storageClassName: string): Draft => ({
          kind: "PersistentVolumeClaim",
          metadata: { name: claimName },
          spec: { storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
        });
        await make(scene, claim("lazy", name));
        await make(scene, claim("lost", "no-such-class"));
        await eventOf(scene, "lazy", "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
        expect(
          await eventOf(scene, "lost", "ProvisioningFailed", 'storageclass.storage.k8s.io "no-such-class" not found'),
        ).toMatchObject({ type: "Warning", source: { component: "persistentvolume-controller" } });
        expect((await seen<Bindable>(scene, "PersistentVolumeClaim", "lazy", () => true)).status.phase).toBe("Pending");
      },
    );

    promises("a pod that names a claim that is not there is not scheduled", async (target) => {
      const scene = await setUp(target);
      const anywhere = running("sleep 3600");
      await make(scene, {
        kind: "Pod",
        metadata: { name: "unclaimed" },
        spec: { ...anywhere, volumes: [{ name: "data", persistentVolumeClaim: { claimName: "nothing" } }] },
      });
      const { message, type } = await eventOf(scene, "unclaimed", "FailedScheduling");
      expect(type).toBe("Warning");
      expect(message).toContain('persistentvolumeclaim "nothing" not found');
    });
  },
  { shareScene: true },
);

async function post(target: Target, path: string, body: { metadata: { name: string } } & Record<string, unknown>) {
  const { status, message } = await target.send("POST", path, { body });
  if (status !== 201) throw new Error(`${path}: ${status} ${message}`);
  target.cleanUp(`${path}/${body.metadata.name}`);
}
