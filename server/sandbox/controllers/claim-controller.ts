import { apis } from "@/server/kubernetes/apis";
import { selects } from "@/server/sandbox/objects/label-selector";
import { type Draft, keyOf, splitKey } from "@/server/sandbox/objects/meta";
import { isFinished, type Pod } from "@/server/sandbox/objects/pod";
import { quantityOf } from "@/server/sandbox/objects/quantity";
import { type Claim, type StorageClass, type Volume } from "@/server/sandbox/objects/storage";
import { SELECTED_NODE } from "@/server/sandbox/kubelet/scheduler";
import { type Controller, type ControllerContext, watchItself } from "./controller";
import { codeOf } from "./shelves";

const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
export const PROVISIONER = "sandbox.orrery.dev/volumes";
const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";

/** Binds claims: to the volume they name, to one that fits, or to a new one of their class. */
export function claimController({ shelves, record }: ControllerContext): Controller {
  const claims = shelves.of<Claim>(apis.persistentVolumeClaim);
  const volumes = shelves.of<Volume>(apis.persistentVolume);
  const classes = shelves.of<StorageClass>(apis.storageClass);

  async function reconcile(key: string): Promise<undefined> {
    const { namespace, name } = splitKey(key);
    const claim = claims.get(namespace, name);
    if (!claim || claim.metadata.deletionTimestamp !== undefined) return;
    if (claim.status?.phase === "Bound") return checkVolume(claim);
    const found = claim.spec.volumeName ? volumes.get("", claim.spec.volumeName) : (ownVolume(claim) ?? fitting(claim));
    if (found) return bind(claim, found);
    if (claim.spec.volumeName) return waitFor(claim);
    const storageClass = classOf(claim);
    if (!storageClass) return noClass(claim);
    if (storageClass.volumeBindingMode === "WaitForFirstConsumer" && !claim.metadata.annotations?.[SELECTED_NODE]) {
      record(claim, "Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
      return waitFor(claim);
    }
    if (storageClass.provisioner !== PROVISIONER) {
      record(
        claim,
        "Normal",
        "ExternalProvisioning",
        `Waiting for a volume to be created either by the external provisioner '${storageClass.provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
      );
      return waitFor(claim);
    }
    await provision(claim, storageClass);
  }

  function classOf(claim: Claim): StorageClass | undefined {
    const { storageClassName } = claim.spec;
    if (storageClassName === "") return undefined;
    if (storageClassName !== undefined) return classes.get("", storageClassName);
    return classes.list().find(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === "true");
  }

  const ownVolume = (claim: Claim) => volumes.list().find(({ spec }) => spec.claimRef?.uid === claim.metadata.uid);

  /** The smallest free volume that holds what is asked for. */
  function fitting(claim: Claim): Volume | undefined {
    const { spec, metadata } = claim;
    const wanted = quantityOf(spec.resources?.requests?.storage);
    return volumes
      .list()
      .filter(
        (volume) =>
          volume.status?.phase !== "Released" &&
          volume.status?.phase !== "Failed" &&
          (!volume.spec.claimRef ||
            (volume.spec.claimRef.namespace === metadata.namespace &&
              volume.spec.claimRef.name === metadata.name &&
              !volume.spec.claimRef.uid)) &&
          (volume.spec.storageClassName ?? "") === (spec.storageClassName ?? classOf(claim)?.metadata.name ?? "") &&
          (spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode)) &&
          quantityOf(volume.spec.capacity?.storage) >= wanted &&
          (!spec.selector || selects(spec.selector, volume.metadata.labels)),
      )
      .toSorted((a, b) => quantityOf(a.spec.capacity?.storage) - quantityOf(b.spec.capacity?.storage))[0];
  }

  async function provision(claim: Claim, storageClass: StorageClass) {
    const name = `pvc-${claim.metadata.uid}`;
    const draft: Draft<Volume> = {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: {
        name,
        annotations: { [PROVISIONED_BY]: storageClass.provisioner },
        finalizers: ["kubernetes.io/pv-protection"],
      },
      spec: {
        capacity: { storage: claim.spec.resources?.requests?.storage ?? "1Gi" },
        accessModes: claim.spec.accessModes,
        persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
        storageClassName: storageClass.metadata.name,
        volumeMode: claim.spec.volumeMode ?? "Filesystem",
        claimRef: refTo(claim),
        hostPath: { path: `/sandbox/volumes/${name}`, type: "" },
      },
    };
    try {
      const volume = await volumes.create(draft);
      record(
        claim,
        "Normal",
        "ProvisioningSucceeded",
        `Successfully provisioned volume ${name} using ${storageClass.provisioner}`,
      );
      await bind(claim, volume);
    } catch (error) {
      if (codeOf(error) !== 409) throw error;
    }
  }

  async function bind(claim: Claim, volume: Volume): Promise<undefined> {
    const other = volume.spec.claimRef;
    if (other?.uid && other.uid !== claim.metadata.uid) {
      record(claim, "Warning", "FailedBinding", `volume "${volume.metadata.name}" already bound to a different claim.`);
      return waitFor(claim);
    }
    const { name } = volume.metadata;
    if (other?.uid !== claim.metadata.uid)
      await volumes.patch("", name, { spec: { ...volume.spec, claimRef: refTo(claim) } });
    await volumes.patch("", name, { status: { phase: "Bound" } }, "status");
    const { namespace = "", name: claimName, resourceVersion: _, ...rest } = claim.metadata;
    const annotations = {
      ...rest.annotations,
      [BIND_COMPLETED]: "yes",
      ...(claim.spec.volumeName ? {} : { [BOUND_BY_CONTROLLER]: "yes" }),
    };
    const storageClassName = claim.spec.storageClassName ?? volume.spec.storageClassName;
    await claims.patch(namespace, claimName, {
      metadata: { ...rest, name: claimName, namespace, annotations },
      spec: { ...claim.spec, volumeName: name, storageClassName },
    });
    await claims.patch(
      namespace,
      claimName,
      { status: { phase: "Bound", accessModes: volume.spec.accessModes, capacity: volume.spec.capacity } },
      "status",
    );
  }

  async function noClass(claim: Claim): Promise<undefined> {
    const missing = claim.spec.storageClassName;
    if (missing) record(claim, "Warning", "ProvisioningFailed", `storageclass.storage.k8s.io "${missing}" not found`);
    else
      record(
        claim,
        "Normal",
        "FailedBinding",
        "no persistent volumes available for this claim and no storage class is set",
      );
    await waitFor(claim);
  }

  async function waitFor(claim: Claim): Promise<undefined> {
    if (claim.status?.phase !== "Pending")
      await claims.patch(
        claim.metadata.namespace ?? "",
        claim.metadata.name,
        { status: { phase: "Pending" } },
        "status",
      );
  }

  async function checkVolume(claim: Claim): Promise<undefined> {
    if (volumes.get("", claim.spec.volumeName ?? "")) return;
    record(claim, "Warning", "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
    await claims.patch(
      claim.metadata.namespace ?? "",
      claim.metadata.name,
      { status: { ...claim.status, phase: "Lost" } },
      "status",
    );
  }

  const pending = () =>
    claims
      .list()
      .filter(({ status }) => status?.phase !== "Bound")
      .map(keyOf);
  return {
    reconcile,
    watches: [
      watchItself(apis.persistentVolumeClaim),
      { api: apis.storageClass, keysOf: pending },
      // A volume that is deleted takes its claim's binding with it; a new one may be what a claim waits for.
      {
        api: apis.persistentVolume,
        keysOf: ({ type }) => (type === "MODIFIED" ? [] : type === "ADDED" ? pending() : claims.list().map(keyOf)),
      },
    ],
  };
}

function refTo({ metadata }: Claim) {
  return {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
  };
}

/** What becomes of volumes: Available, Bound, and when the claim is gone, Released and deleted or kept. */
export function volumeController({ shelves }: ControllerContext): Controller {
  const volumes = shelves.of<Volume>(apis.persistentVolume);
  const claims = shelves.of<Claim>(apis.persistentVolumeClaim);

  async function reconcile(key: string): Promise<undefined> {
    const volume = volumes.get("", splitKey(key).name);
    if (!volume) return;
    const ref = volume.spec.claimRef;
    const claim = ref && claims.get(ref.namespace, ref.name);
    const held = ref?.uid !== undefined && claim?.metadata.uid === ref.uid;
    if (volume.metadata.deletionTimestamp !== undefined) {
      if (!held)
        await volumes.patch("", volume.metadata.name, {
          metadata: withoutFinalizer(volume, "kubernetes.io/pv-protection"),
        });
      return;
    }
    if (!ref?.uid) return phase(volume, "Available");
    if (held) return phase(volume, "Bound");
    await phase(volume, "Released");
    if (volume.spec.persistentVolumeReclaimPolicy === "Delete") await volumes.remove(volume);
  }

  async function phase(volume: Volume, next: string): Promise<undefined> {
    if (volume.status?.phase !== next)
      await volumes.patch("", volume.metadata.name, { status: { phase: next } }, "status");
  }

  return {
    reconcile,
    watches: [
      watchItself(apis.persistentVolume),
      {
        api: apis.persistentVolumeClaim,
        keysOf: ({ object }) =>
          volumes
            .list()
            .filter(({ spec }) => spec.claimRef?.uid === object.metadata.uid)
            .map(keyOf),
      },
    ],
  };
}

const PROTECTION = "kubernetes.io/pvc-protection";

/** A claim that is deleted stays until no pod uses it. */
export function claimProtectionController({ shelves }: ControllerContext): Controller {
  const claims = shelves.of<Claim>(apis.persistentVolumeClaim);
  const pods = shelves.of<Pod>(apis.pod);
  const uses = (pod: Pod, name: string) =>
    (pod.spec.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name);

  return {
    reconcile: async (key) => {
      const { namespace, name } = splitKey(key);
      const claim = claims.get(namespace, name);
      if (!claim) return undefined;
      const { finalizers = [], deletionTimestamp } = claim.metadata;
      if (deletionTimestamp === undefined) {
        if (!finalizers.includes(PROTECTION))
          await claims.patch(namespace, name, {
            metadata: { ...withoutFinalizer(claim, PROTECTION), finalizers: [...finalizers, PROTECTION] },
          });
        return undefined;
      }
      const used = pods.list({ namespace }).some((pod) => uses(pod, name) && !isFinished(pod) && pod.spec.nodeName);
      if (finalizers.includes(PROTECTION) && !used)
        await claims.patch(namespace, name, { metadata: withoutFinalizer(claim, PROTECTION) });
      return undefined;
    },
    watches: [
      watchItself(apis.persistentVolumeClaim),
      {
        api: apis.pod,
        keysOf: ({ object }) => {
          const { namespace = "", name } = object.metadata;
          const pod = pods.get(namespace, name);
          return claims
            .list({ namespace })
            .filter(
              (claim) => claim.metadata.deletionTimestamp !== undefined && (!pod || uses(pod, claim.metadata.name)),
            )
            .map(keyOf);
        },
      },
    ],
  };
}

function withoutFinalizer({ metadata }: Claim | Volume, finalizer: string) {
  const { resourceVersion: _, ...rest } = metadata;
  return { ...rest, finalizers: (metadata.finalizers ?? []).filter((name) => name !== finalizer) };
}
