import { apis } from "@/server/kubernetes/apis";
import { keyOf, splitKey } from "@/server/sandbox/objects/meta";
import { type Claim, type Volume } from "@/server/sandbox/objects/storage";
import { type Controller, type ControllerContext, watchItself } from "./controller";

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
      if (!held) await volumes.change("", volume.metadata.name, withoutProtection);
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

function withoutProtection(volume: Volume): Volume {
  const finalizers = (volume.metadata.finalizers ?? []).filter((name) => name !== "kubernetes.io/pv-protection");
  return { ...volume, metadata: { ...volume.metadata, finalizers } };
}
