import { apis } from "@/server/kubernetes/apis";
import { type Cluster } from "@/server/sandbox/cluster";
import { PROVISIONER } from "./claim-controller";
import { codeOf } from "./shelves";

/** A fresh cluster has a class that claims without one get. */
export async function ensureStorageClass(cluster: Cluster) {
  if (cluster.list(apis.storageClass).length > 0) return;
  const storageClass = {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: PROVISIONER,
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
    allowVolumeExpansion: true,
  };
  try {
    await cluster.create(apis.storageClass, storageClass, {
      user: { username: "system:apiserver", groups: ["system:masters"] },
    });
  } catch (error) {
    if (codeOf(error) !== 409) throw error;
  }
}
