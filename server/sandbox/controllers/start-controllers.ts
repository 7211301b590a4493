import { type Cluster } from "@/server/sandbox/cluster";
import { claimController } from "./claim-controller";
import { claimProtectionController } from "./claim-protection-controller";
import { type Controller, type ControllerContext, type Running, startController } from "./controller";
import { ensureStorageClass } from "./default-storage-class";
import { deploymentController } from "./deployment-controller";
import { endpointsController, endpointSliceController } from "./endpoints-controller";
import { startGarbageCollector } from "./garbage-collector";
import { jobController } from "./job-controller";
import { namespaceController } from "./namespace-controller";
import { nodeLifecycleController } from "./node-lifecycle-controller";
import { replicaSetController } from "./replica-set-controller";
import { rootCertificateController, serviceAccountController } from "./service-account-controller";
import { statefulSetController } from "./stateful-set-controller";
import { volumeController } from "./volume-controller";

/** The name of each controller, as it stands in the events it records, and the controller. */
const controllers: Record<string, (context: ControllerContext) => Controller> = {
  "statefulset-controller": statefulSetController,
  "replicaset-controller": replicaSetController,
  "deployment-controller": deploymentController,
  "job-controller": jobController,
  "namespace-controller": namespaceController,
  "node-controller": nodeLifecycleController,
  "endpoint-controller": endpointsController,
  "endpoint-slice-controller": endpointSliceController,
  "service-account-controller": serviceAccountController,
  "persistentvolume-controller": claimController,
  "persistentvolume-binder": volumeController,
  "pvc-protection-controller": claimProtectionController,
};

/** Starts everything that a controller manager runs. `rootCertificate` is what pods are to trust the API server by. */
export function startControllers(cluster: Cluster, options: { rootCertificate?: string } = {}): Running {
  // Nobody waits for it: claims are looked at again when a class appears.
  void ensureStorageClass(cluster);
  const started = [
    startGarbageCollector(cluster),
    startController(cluster, "root-ca-certificate-publisher", rootCertificateController(options.rootCertificate ?? "")),
    ...Object.entries(controllers).map(([component, define]) => startController(cluster, component, define)),
  ];
  return {
    idle: () => started.every((controller) => controller.idle()),
    stop: async () => {
      await Promise.all(started.map((controller) => controller.stop()));
    },
  };
}
