import { apis } from "@/server/kubernetes/apis";
import { selects } from "@/server/sandbox/objects/label-selector";
import { type Draft, keyOf, splitKey } from "@/server/sandbox/objects/meta";
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
    if (other?.uid !== claim.metadata.uid) {
      await volumes.change("", name, (old) => ({ ...old, spec: { ...old.spec, claimRef: refTo(claim) } }));
    }
    await volumes.patch("", name, { status: { phase: "Bound" } }, "status");
    const { namespace = "", name: claimName } = claim.metadata;
    const marks = { [BIND_COMPLETED]: "yes", ...(claim.spec.volumeName ? {} : { [BOUND_BY_CONTROLLER]: "yes" }) };
    await claims.change(namespace, claimName, (old) => ({
      ...old,
      metadata: { ...old.metadata, annotations: { ...old.metadata.annotations, ...marks } },
      spec: {
        ...old.spec,
        volumeName: name,
        storageClassName: old.spec.storageClassName ?? volume.spec.storageClassName,
      },
    }));
    const status = { phase: "Bound", accessModes: volume.spec.accessModes, capacity: volume.spec.capacity };
    await claims.patch(namespace, claimName, { status }, "status");
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
