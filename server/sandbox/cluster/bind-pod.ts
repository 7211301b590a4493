import { type KubernetesObject } from "@/server/kubernetes/object";
import { type RequestContext } from "@/server/sandbox/admission-plugin";
import { type Cluster } from "@/server/sandbox/cluster";
import { timeOf } from "@/server/sandbox/cluster/write";
import { listOf, recordOf, textOf, without } from "@/server/sandbox/json";
import { conflictError } from "@/server/sandbox/status-error";

const pods = { group: "", plural: "pods" };

/** POST pods/<name>/binding: the pod is put on a node, once. */
export async function bindPod(
  cluster: Cluster,
  at: { namespace: string; name: string },
  binding: KubernetesObject,
  ctx: RequestContext,
) {
  const node = textOf(recordOf(binding["target"])["name"]);
  await cluster.change(
    pods,
    at,
    (pod) => {
      const bound = textOf(pod.spec?.["nodeName"]);
      if (bound !== "")
        throw conflictError(
          { group: "", plural: "pods/binding" },
          at.name,
          `pod ${at.name} is already assigned to node "${bound}"`,
        );
      const metadata = without(pod.metadata, "resourceVersion");
      return { ...pod, metadata, spec: { ...pod.spec, nodeName: node } };
    },
    ctx,
  );
  await cluster.change(pods, at, (pod) => ({ ...pod, status: withScheduled(pod, timeOf(cluster.clock)) }), ctx, {
    subresource: "status",
  });
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
}

function withScheduled({ status = {} }: KubernetesObject, time: string): Record<string, unknown> {
  const others = listOf(status["conditions"]).filter((condition) => recordOf(condition)["type"] !== "PodScheduled");
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: time };
  return { ...status, conditions: [...others, scheduled] };
}
