import { firebolt } from "@/machines/firebolt/family";
import { type Instance } from "@/machines/firebolt/instance.schema";
import { apis } from "@/server/kubernetes/apis";
import { type KubernetesObject } from "@/server/kubernetes/object";
import { defineReconciler, type Key, type Watch } from "@/server/reconcile/reconciler";
import { labels } from "./generation-names";
import { computeInstance, knownOfInstance } from "./instance.compute";
import { type InstanceSeen, instanceApis, readInstance } from "./instance.read";
import { refusedWrite } from "./refused-write";

export function createInstanceReconciler() {
  return defineReconciler<Instance, InstanceSeen>({
    id: "firebolt.instance",
    kind: firebolt.kinds.instance,
    watches: instanceApis.map((api): Watch => ({ api, labelSelector: labels.instance, keysOf: labelled })),
    makes: {
      apis: [...instanceApis, apis.replicaSet, apis.pod, apis.persistentVolumeClaim],
      labelsOf: ({ name }) => ({ [labels.instance]: name }),
    },
    read: readInstance,
    known: (seen) => ({ phase: knownOfInstance(seen) }),
    compute: computeInstance,
    statusOfFailure: refusedWrite,
  });
}

function labelled({ metadata }: KubernetesObject): Key[] {
  const name = metadata.labels?.[labels.instance];
  return name === undefined ? [] : [{ namespace: metadata.namespace ?? "", name }];
}
