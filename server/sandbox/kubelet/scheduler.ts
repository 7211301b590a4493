import { apis } from "@/server/kubernetes/apis";
import { type Cluster } from "@/server/sandbox/cluster";
import { createControlLoop } from "@/server/sandbox/controllers/control-loop";
import { createSeriesRecorder } from "@/server/sandbox/controllers/event-recorder";
import { codeOf, createShelves } from "@/server/sandbox/controllers/shelves";
import { type Condition, keyOf, splitKey, timestampOf } from "@/server/sandbox/objects/meta";
import { type Node } from "@/server/sandbox/objects/node";
import { isTerminating, type Pod } from "@/server/sandbox/objects/pod";
import { type Claim, type StorageClass } from "@/server/sandbox/objects/storage";
import { quantityOf } from "@/server/sandbox/objects/quantity";
import { misfitsOf, requestsOf, unschedulableMessage } from "./node-fit";

const user = { username: "system:kube-scheduler", groups: ["system:authenticated", "system:masters"] };
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
/** How long the scheduler leaves a pod that fits nowhere, unless something changes. */
const RETRY_MS = 60_000;

/** Gives every pod a node, or says why there is none. */
export function startScheduler(cluster: Cluster): { stop(): Promise<void>; idle(): boolean } {
  const { clock } = cluster;
  const shelves = createShelves(cluster, user);
  const pods = shelves.of<Pod>(apis.pod);
  const nodes = shelves.of<Node>(apis.node);
  const claims = shelves.of<Claim>(apis.persistentVolumeClaim);
  const classes = shelves.of<StorageClass>(apis.storageClass);
  const record = createSeriesRecorder({
    shelves,
    clock,
    component: "default-scheduler",
    instance: "default-scheduler-sandbox",
  });
  const waiting = new Set<string>();
  const loop = createControlLoop({ clock, reconcile: schedule });

  const isOurs = (pod: Pod) =>
    !pod.spec.nodeName &&
    !isTerminating(pod) &&
    (pod.spec.schedulerName ?? "default-scheduler") === "default-scheduler";
  const retryAll = () => waiting.forEach((key) => loop.add(key));
  const unwatch = [
    pods.watch(({ type, object, old }) => {
      if (type !== "DELETED" && isOurs(object)) {
        // Its own condition is no news to the scheduler.
        if (!old || JSON.stringify(old.spec) !== JSON.stringify(object.spec)) loop.add(keyOf(object));
        return;
      }
      waiting.delete(keyOf(object));
      if (type === "DELETED" || (old && old.status?.phase !== object.status?.phase)) retryAll();
    }),
    nodes.watch(retryAll),
    claims.watch(retryAll),
  ];
  pods
    .list()
    .filter(isOurs)
    .forEach((pod) => loop.add(keyOf(pod)));

  async function schedule(key: string): Promise<number | undefined> {
    const { namespace, name } = splitKey(key);
    const pod = pods.get(namespace, name);
    if (!pod || !isOurs(pod)) return void waiting.delete(key);
    const blocked = claimTrouble(pod);
    const landscape = { nodes: nodes.list(), placed: pods.list().filter((other) => other.spec.nodeName) };
    const misfits = landscape.nodes.map((node) => ({ node, reasons: misfitsOf(pod, node, landscape) }));
    const fitting = misfits.filter(({ reasons }) => reasons.length === 0).map(({ node }) => node);
    const chosen = blocked === null ? leastUsed(fitting, landscape.placed) : undefined;
    if (!chosen) {
      const message =
        blocked === null
          ? unschedulableMessage(misfits.map(({ reasons }) => reasons))
          : `0/${misfits.length} nodes are available: ${blocked}.`;
      await refuse(pod, message);
      waiting.add(key);
      return RETRY_MS;
    }
    if (!(await bindClaims(pod, chosen))) {
      waiting.add(key);
      return RETRY_MS;
    }
    await bind(pod, chosen);
    waiting.delete(key);
    return undefined;
  }

  /** What is wrong with the pod's claims wherever it would go; null when nothing is. */
  function claimTrouble(pod: Pod): string | null {
    for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
      if (!persistentVolumeClaim) continue;
      const claim = claims.get(pod.metadata.namespace ?? "", persistentVolumeClaim.claimName);
      if (!claim) return `persistentvolumeclaim "${persistentVolumeClaim.claimName}" not found`;
      if (claim.metadata.deletionTimestamp !== undefined)
        return `persistentvolumeclaim "${persistentVolumeClaim.claimName}" is being deleted`;
      if (!isBound(claim) && !waitsForConsumer(claim)) return "pod has unbound immediate PersistentVolumeClaims";
    }
    return null;
  }

  const isBound = (claim: Claim) => claim.status?.phase === "Bound";
  const waitsForConsumer = (claim: Claim) =>
    classes.get("", claim.spec.storageClassName ?? "")?.volumeBindingMode === "WaitForFirstConsumer";

  /** Tells the claims that wait for a consumer where it will run. True when all are bound. */
  async function bindClaims(pod: Pod, node: Node): Promise<boolean> {
    const unbound = (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => {
      const claim = persistentVolumeClaim && claims.get(pod.metadata.namespace ?? "", persistentVolumeClaim.claimName);
      return claim && !isBound(claim) ? [claim] : [];
    });
    for (const { metadata } of unbound) {
      if (metadata.annotations?.[SELECTED_NODE]) continue;
      const told = { [SELECTED_NODE]: node.metadata.name };
      await claims.change(metadata.namespace ?? "", metadata.name, (old) => ({
        ...old,
        metadata: { ...old.metadata, annotations: { ...old.metadata.annotations, ...told } },
      }));
    }
    return unbound.length === 0;
  }

  async function refuse(pod: Pod, message: string) {
    record(pod, { type: "Warning", reason: "FailedScheduling", action: "Scheduling", message });
    const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    if (before?.message === message) return;
    const condition: Condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastProbeTime: null,
      lastTransitionTime: before?.status === "False" ? before.lastTransitionTime : timestampOf(clock.now()),
    };
    const refused = (old: Pod): Pod => {
      const others = (old.status?.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
      return { ...old, status: { phase: "Pending", ...old.status, conditions: [...others, condition] } };
    };
    await ignoringGone(pods.change(pod.metadata.namespace ?? "", pod.metadata.name, refused, "status"));
  }

  async function bind(pod: Pod, node: Node) {
    const { namespace = "", name } = pod.metadata;
    const bound = (old: Pod): Pod => ({ ...old, spec: { ...old.spec, nodeName: node.metadata.name } });
    await ignoringGone(pods.change(namespace, name, bound, "binding"));
    record(pod, {
      type: "Normal",
      reason: "Scheduled",
      action: "Binding",
      message: `Successfully assigned ${namespace}/${name} to ${node.metadata.name}`,
    });
  }

  return {
    idle: loop.idle,
    stop: async () => {
      unwatch.forEach((stop) => stop());
      await loop.stop();
    },
  };
}

/** The node with the smallest share of its CPU asked for; by name among equals. */
function leastUsed(nodes: readonly Node[], placed: readonly Pod[]): Node | undefined {
  const share = (node: Node) => {
    const here = placed.filter(({ spec }) => spec.nodeName === node.metadata.name);
    const cpu =
      here.reduce((sum, pod) => sum + (requestsOf(pod).cpu ?? 0), 0) / (quantityOf(node.status?.allocatable?.cpu) || 1);
    return cpu + here.length / 10_000;
  };
  return nodes.toSorted((a, b) => share(a) - share(b) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

async function ignoringGone(write: Promise<unknown>) {
  try {
    await write;
  } catch (error) {
    if (codeOf(error) !== 404) throw error;
  }
}
