import { apis } from "@/server/kubernetes/apis";
import { type Kept, splitKey, timestampOf } from "@/server/sandbox/objects/meta";
import {
  type Node,
  notReadyTaint,
  type Taint,
  unreachableTaint,
  unschedulableTaint,
} from "@/server/sandbox/objects/node";
import { isFinished, type Pod } from "@/server/sandbox/objects/pod";
import { type Controller, type ControllerContext, watchItself } from "./controller";

/** Taints nodes by their conditions, marks the pods of a node that is not ready, and evicts what does not tolerate it. */
export function nodeLifecycleController({ shelves, clock, record }: ControllerContext): Controller {
  const nodes = shelves.of<Node>(apis.node);
  const pods = shelves.of<Pod>(apis.pod);

  async function reconcile(key: string): Promise<number | undefined> {
    const node = nodes.get("", splitKey(key).name);
    if (!node) return undefined;
    const taints = taintsOf(node, clock.now());
    const names = (list: readonly Taint[]) =>
      list
        .map(({ key: name, effect }) => `${name}:${effect}`)
        .sort()
        .join();
    if (names(taints) !== names(node.spec.taints ?? [])) {
      await nodes.patch("", node.metadata.name, {
        spec: { ...node.spec, taints: taints.length > 0 ? taints : undefined },
      });
    }
    const here = pods.list().filter(({ spec }) => spec.nodeName === node.metadata.name);
    if (conditionOf(node) !== "True") for (const pod of here) await markNotReady(pod);
    const waits: number[] = [];
    for (const pod of here) waits.push(await evictFrom(pod, taints));
    const due = waits.filter((ms) => ms > 0 && ms < Infinity);
    return due.length > 0 ? Math.min(...due) : undefined;
  }

  async function markNotReady(pod: Pod) {
    const ready = pod.status?.conditions?.find(({ type }) => type === "Ready");
    if (ready?.status !== "True") return;
    const conditions = pod.status?.conditions?.map((condition) =>
      condition.type === "Ready"
        ? { ...condition, status: "False" as const, lastTransitionTime: timestampOf(clock.now()) }
        : condition,
    );
    record(pod, "Warning", "NodeNotReady", "Node is not ready");
    await pods.patch(
      pod.metadata.namespace ?? "",
      pod.metadata.name,
      { status: { ...pod.status, conditions } },
      "status",
    );
  }

  /** Deletes the pod when a taint drives it out; otherwise in how many milliseconds one will. */
  async function evictFrom(pod: Pod, taints: readonly Taint[]): Promise<number> {
    if (pod.metadata.deletionTimestamp !== undefined || isFinished(pod)) return Infinity;
    const left = Math.min(
      ...taints.filter(({ effect }) => effect === "NoExecute").map((taint) => toleratedForMs(pod, taint, clock.now())),
    );
    if (left > 0) return left;
    record(
      pod,
      "Normal",
      "TaintManagerEviction",
      `Marking for deletion Pod ${pod.metadata.namespace ?? ""}/${pod.metadata.name}`,
    );
    await pods.remove(pod);
    return Infinity;
  }

  const ofPod = ({ object }: { object: Kept & { spec?: { nodeName?: string } } }) =>
    object.spec?.nodeName ? [`/${object.spec.nodeName}`] : [];
  return { reconcile, watches: [watchItself(apis.node), { api: apis.pod, keysOf: ofPod }] };
}

function conditionOf(node: Node): string {
  return node.status?.conditions?.find(({ type }) => type === "Ready")?.status ?? "True";
}

/** The taints that the node should have: those of others, and ours as the conditions say. */
function taintsOf(node: Node, now: number): Taint[] {
  const own = new Set([notReadyTaint, unreachableTaint, unschedulableTaint]);
  const others = (node.spec.taints ?? []).filter(({ key }) => !own.has(key));
  const status = conditionOf(node);
  const key = status === "Unknown" ? unreachableTaint : notReadyTaint;
  const trouble =
    status === "True" ? [] : (["NoSchedule", "NoExecute"] as const).map((effect) => kept(node, { key, effect }, now));
  const cordon = node.spec.unschedulable ? [kept(node, { key: unschedulableTaint, effect: "NoSchedule" }, now)] : [];
  return [...others, ...trouble, ...cordon];
}

function kept(node: Node, taint: Taint, now: number): Taint {
  return (
    node.spec.taints?.find(({ key, effect }) => key === taint.key && effect === taint.effect) ?? {
      ...taint,
      timeAdded: timestampOf(now),
    }
  );
}

function toleratedForMs(pod: Pod, taint: Taint, now: number): number {
  const matching = (pod.spec.tolerations ?? []).filter(
    ({ key, operator, value, effect }) =>
      (!effect || effect === taint.effect) &&
      (!key || key === taint.key) &&
      (operator === "Exists" || (value ?? "") === (taint.value ?? "")),
  );
  if (matching.length === 0) return 0;
  const seconds = Math.min(...matching.map(({ tolerationSeconds }) => tolerationSeconds ?? Infinity));
  return seconds === Infinity ? Infinity : Math.max(0, Date.parse(taint.timeAdded ?? "") + seconds * 1_000 - now);
}
