import { apis } from "@/server/kubernetes/apis";
import { type Condition, splitKey, timestampOf } from "@/server/sandbox/objects/meta";
import { availableInMs, isActive, isReady, type Pod } from "@/server/sandbox/objects/pod";
import { type ReplicaSet, type ReplicaSetStatus } from "@/server/sandbox/objects/workload";
import { selects } from "@/server/sandbox/objects/label-selector";
import { type Controller, type ControllerContext, watchControlled, watchItself } from "./controller";
import { ownedPods, podFromTemplate, PODS_PER_PASS } from "./owned-pods";
import { messageOf } from "./stateful-set-controller";
import { canonical } from "./template-hash";

/** Keeps as many pods of one template as asked for. */
export function replicaSetController({ shelves, clock, record }: ControllerContext): Controller {
  const sets = shelves.of<ReplicaSet>(apis.replicaSet);
  const pods = shelves.of<Pod>(apis.pod);

  async function reconcile(key: string): Promise<number | undefined> {
    const { namespace, name } = splitKey(key);
    const set = sets.get(namespace, name);
    if (!set) return undefined;
    const owned = await ownedPods(pods, { owner: set, selector: set.spec.selector });
    const active = owned.filter(isActive);
    const surplus = active.length - (set.spec.replicas ?? 1);
    const failure =
      set.metadata.deletionTimestamp === undefined
        ? await (surplus < 0 ? create(set, Math.min(-surplus, PODS_PER_PASS)) : remove(set, active, surplus))
        : null;
    await writeStatus(set, surplus, failure);
    if (failure) throw failure.error;
    const waits = active
      .map((pod) => availableInMs(pod, set.spec.minReadySeconds ?? 0, clock.now()) ?? 0)
      .filter((ms) => ms > 0);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  /** One, then two, then four at a time: a namespace that refuses pods is asked once, not a hundred times. */
  async function create(set: ReplicaSet, count: number): Promise<{ error: unknown } | null> {
    for (let left = count, batch = 1; left > 0; left -= batch, batch = Math.min(batch * 2, left)) {
      const outcomes = await Promise.all(Array.from({ length: Math.min(batch, left) }, () => createOne(set)));
      const failure = outcomes.find((outcome) => outcome !== null);
      if (failure) return failure;
    }
    return null;
  }

  async function createOne(set: ReplicaSet): Promise<{ error: unknown } | null> {
    try {
      const pod = await pods.create(podFromTemplate(set.spec.template, set));
      record(set, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
      return null;
    } catch (error) {
      record(set, "Warning", "FailedCreate", `Error creating: ${messageOf(error)}`);
      return { error };
    }
  }

  async function remove(set: ReplicaSet, active: readonly Pod[], surplus: number): Promise<{ error: unknown } | null> {
    for (const pod of active.toSorted(byWorth).slice(0, surplus)) {
      try {
        await pods.remove(pod);
        record(set, "Normal", "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
      } catch (error) {
        record(set, "Warning", "FailedDelete", `Error deleting: ${messageOf(error)}`);
        return { error };
      }
    }
    return null;
  }

  async function writeStatus(set: ReplicaSet, surplus: number, failure: { error: unknown } | null) {
    const fresh = sets.get(set.metadata.namespace ?? "", set.metadata.name);
    if (fresh?.metadata.uid !== set.metadata.uid) return;
    const active = pods.ownedBy(set.metadata.uid).filter(isActive);
    const available = active.filter((pod) => availableInMs(pod, set.spec.minReadySeconds ?? 0, clock.now()) === 0);
    const counted: ReplicaSetStatus = {
      replicas: active.length,
      fullyLabeledReplicas: active.filter((pod) =>
        selects({ matchLabels: set.spec.template.metadata?.labels }, pod.metadata.labels),
      ).length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: available.length,
      observedGeneration: set.metadata.generation,
      conditions: failureCondition(fresh.status?.conditions, surplus, failure),
    };
    // Zero is left out, as Kubernetes' own encoding does it for these fields.
    const status = Object.fromEntries(
      Object.entries(counted).filter(([field, value]) => field === "replicas" || Boolean(value)),
    );
    if (canonical(status) !== canonical(fresh.status)) await sets.updateStatus(fresh, status);
  }

  function failureCondition(
    conditions: Condition[] | undefined,
    surplus: number,
    failure: { error: unknown } | null,
  ): Condition[] | undefined {
    const others = conditions?.filter((condition) => condition.type !== "ReplicaFailure") ?? [];
    if (!failure) return others.length > 0 ? others : undefined;
    const reason = surplus < 0 ? "FailedCreate" : "FailedDelete";
    const before = conditions?.find((condition) => condition.type === "ReplicaFailure" && condition.reason === reason);
    const lastTransitionTime = before?.lastTransitionTime ?? timestampOf(clock.now());
    return [
      ...others,
      { type: "ReplicaFailure", status: "True", reason, message: messageOf(failure.error), lastTransitionTime },
    ];
  }

  return { reconcile, watches: [watchItself(apis.replicaSet), watchControlled(apis.pod, "ReplicaSet", sets)] };
}

/** What goes first when there are too many: unscheduled, pending, not ready, cheap, restarting, young. */
function byWorth(a: Pod, b: Pod): number {
  return (
    Number(a.spec.nodeName !== undefined) - Number(b.spec.nodeName !== undefined) ||
    Number(a.status?.phase === "Running") - Number(b.status?.phase === "Running") ||
    Number(isReady(a)) - Number(isReady(b)) ||
    deletionCost(a) - deletionCost(b) ||
    restarts(b) - restarts(a) ||
    Date.parse(b.metadata.creationTimestamp ?? "") - Date.parse(a.metadata.creationTimestamp ?? "")
  );
}

function deletionCost(pod: Pod): number {
  return Number(pod.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0);
}

function restarts(pod: Pod): number {
  return (pod.status?.containerStatuses ?? []).reduce((sum, status) => sum + status.restartCount, 0);
}
