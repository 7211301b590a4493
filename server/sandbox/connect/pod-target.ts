import { apis } from "@/server/kubernetes/apis";
import { type Cluster } from "@/server/sandbox/cluster";
import { type ConnectCall } from "@/server/sandbox/http/door";
import { type ContainerLife } from "@/server/sandbox/kubelet/container-life";
import { type Kubelet } from "@/server/sandbox/kubelet/kubelet";
import { type PodLife } from "@/server/sandbox/kubelet/pod-life";
import { type Pod } from "@/server/sandbox/objects/pod";
import { badRequestError, notFoundError } from "@/server/sandbox/status-error";

const DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

export type PodTarget = { pod: Pod; container: string; podLife: PodLife | undefined; life: ContainerLife | undefined };

export function podNamed(cluster: Cluster, namespace: string, name: string): Pod {
  const found = cluster.get(apis.pod, namespace, name);
  if (!found) throw notFoundError({ group: "", plural: "pods" }, name);
  // The registry checked it against the schema of pods.
  return found as unknown as Pod;
}

/** The container that a call means: the one it names, the only one, or the one that the pod's annotation names. */
export function podTarget(cluster: Cluster, kubelet: Kubelet, call: ConnectCall): PodTarget {
  const pod = podNamed(cluster, call.namespace, call.name);
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const names = [...containers, ...initContainers, ...ephemeralContainers].map(({ name }) => name);
  const asked = call.query.get("container");
  const only =
    pod.spec.containers.length === 1 ? pod.spec.containers[0]?.name : pod.metadata.annotations?.[DEFAULT_CONTAINER];
  const container = asked ?? only;
  if (!container) {
    const choices = pod.spec.containers.map(({ name }) => name).join(" ");
    const inits = (pod.spec.initContainers ?? []).map(({ name }) => name).join(" ");
    const more = inits ? ` or one of the init containers: [${inits}]` : "";
    throw badRequestError(
      `a container name must be specified for pod ${call.name}, choose one of: [${choices}]${more}`,
    );
  }
  if (!names.includes(container)) throw badRequestError(`container ${container} is not valid for pod ${call.name}`);
  const podLife = kubelet.podOf(call.namespace, call.name);
  return { pod, container, podLife, life: podLife?.container(container) };
}
