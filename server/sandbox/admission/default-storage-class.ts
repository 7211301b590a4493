import { type AdmissionPlugin } from "@/server/sandbox/admission-plugin";
import { type Cluster } from "@/server/sandbox/cluster";

const storageClasses = { group: "storage.k8s.io", plural: "storageclasses" };
const marks = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/** A claim that names no class gets the default one, the newest if there are several. */
export function defaultStorageClass(cluster: Cluster): AdmissionPlugin {
  return {
    name: "DefaultStorageClass",
    mutate: ({ operation, type, subresource, object }) => {
      if (
        operation !== "CREATE" ||
        type.storageKey !== "persistentvolumeclaims" ||
        subresource !== undefined ||
        !object
      )
        return;
      const spec = (object.spec ??= {});
      // The empty class is a choice: no class at all.
      if (
        spec["storageClassName"] !== undefined ||
        object.metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] !== undefined
      )
        return;
      const [newest] = cluster
        .list(storageClasses)
        .filter(({ metadata }) => marks.some((mark) => metadata.annotations?.[mark] === "true"))
        .sort(
          (a, b) =>
            ageOrder(b.metadata.creationTimestamp, a.metadata.creationTimestamp) ||
            (a.metadata.name < b.metadata.name ? -1 : 1),
        );
      if (newest) spec["storageClassName"] = newest.metadata.name;
    },
  };
}

function ageOrder(a = "", b = ""): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
