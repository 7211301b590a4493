import { apis } from "@/server/kubernetes/apis";
import { type Clock } from "@/server/kubernetes/clock";
import { type Shelves } from "@/server/sandbox/controllers/shelves";
import { type Condition, type Draft, timestampOf } from "@/server/sandbox/objects/meta";
import { type Node } from "@/server/sandbox/objects/node";

/** A node that the sandbox plays. */
export type NodePlan = {
  name: string;
  capacity?: Readonly<Record<string, string>>;
  labels?: Readonly<Record<string, string>>;
};

export const NOT_READY = "sandbox.orrery.dev/not-ready";

/** Whether the node's annotation says that it is not ready. */
export function isDown(node: Node | undefined): boolean {
  const told = node?.metadata.annotations?.[NOT_READY];
  return told !== undefined && told !== "false";
}

const capacity = { cpu: "16", memory: "64Gi", "ephemeral-storage": "200Gi", pods: "500", "hugepages-2Mi": "0" };

/** Registers the node if it is not there yet, and says that it is well. */
export async function registerNode(
  shelves: Shelves,
  clock: Clock,
  plan: NodePlan,
  at: { address: string; cidr: string },
) {
  const nodes = shelves.of<Node>(apis.node);
  const existing = nodes.get("", plan.name) ?? (await nodes.create(nodeDraft(plan, at)));
  const spec = { ...existing.spec, podCIDR: at.cidr, podCIDRs: [at.cidr] };
  if (existing.spec.podCIDR !== at.cidr) await nodes.patch("", plan.name, { spec });
  await postStatus(shelves, clock, plan.name, plan, at.address);
}

function nodeDraft(plan: NodePlan, { cidr }: { cidr: string }): Draft<Node> {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: plan.name,
      labels: {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": plan.name,
        "kubernetes.io/os": "linux",
        ...plan.labels,
      },
    },
    spec: { podCIDR: cidr, podCIDRs: [cidr] },
  };
}

/** What the kubelet posts: well, unless the node's annotation says otherwise. */
export async function postStatus(shelves: Shelves, clock: Clock, name: string, plan: NodePlan, address: string) {
  const nodes = shelves.of<Node>(apis.node);
  const node = nodes.get("", name);
  if (!node) return;
  const notReady = node.metadata.annotations?.[NOT_READY];
  const conditions = [
    pressure("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    pressure("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    pressure("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    !isDown(node)
      ? { type: "Ready", status: "True" as const, reason: "KubeletReady", message: "kubelet is posting ready status" }
      : {
          type: "Ready",
          status: "False" as const,
          reason: "KubeletNotReady",
          message: notReady === "true" ? "container runtime is down" : (notReady ?? ""),
        },
  ].map((condition) => dated(condition, node, clock.now()));
  const amounts = { ...capacity, ...plan.capacity };
  const status = {
    capacity: amounts,
    allocatable: amounts,
    conditions,
    addresses: [
      { type: "InternalIP", address },
      { type: "Hostname", address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
    nodeInfo: {
      machineID: "",
      systemUUID: "",
      bootID: "",
      kernelVersion: "sandbox",
      osImage: "Orrery sandbox",
      containerRuntimeVersion: "sandbox://1",
      kubeletVersion: "v1.32.0",
      kubeProxyVersion: "v1.32.0",
      operatingSystem: "linux",
      architecture: "amd64",
    },
    images: [],
  };
  const before = node.status?.conditions?.map(({ type, status: value, message }) => [type, value, message]);
  const after = conditions.map(({ type, status: value, message }) => [type, value, message]);
  if (JSON.stringify(before) === JSON.stringify(after) && node.status?.addresses?.[0]?.address === address) return;
  await nodes.patch("", name, { status }, "status");
}

function pressure(type: string, reason: string, message: string): Condition {
  return { type, status: "False", reason, message };
}

function dated(condition: Condition, node: Node, now: number) {
  const before = node.status?.conditions?.find(({ type }) => type === condition.type);
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : timestampOf(now);
  return { ...condition, lastHeartbeatTime: timestampOf(now), lastTransitionTime };
}
