import { apis } from "@/server/kubernetes/apis";
import { splitKey } from "@/server/sandbox/objects/meta";
import { availableInMs, type Pod } from "@/server/sandbox/objects/pod";
import { type Claim } from "@/server/sandbox/objects/storage";
import { type ControllerRevision, type StatefulSet } from "@/server/sandbox/objects/workload";
import { type Controller, type ControllerContext, watchControlled, watchItself } from "./controller";
import { ownedPods } from "./owned-pods";
import { controllerRevisionApi, type Revisions, revisionsOf, truncateHistory } from "./revisions";
import { codeOf } from "./shelves";
import { planStatefulSet, places, type StatefulSeen, type StatefulStep, statefulStatus } from "./stateful-plan";
import { claimOwners, ordinalOf, statefulClaims, statefulPod } from "./stateful-pods";
import { canonical } from "./template-hash";

/** Keeps the pods of StatefulSets: in order or all at once, with their claims, revision by revision. */
export function statefulSetController({ shelves, clock, record }: ControllerContext): Controller {
  const sets = shelves.of<StatefulSet>(apis.statefulSet);
  const pods = shelves.of<Pod>(apis.pod);
  const claims = shelves.of<Claim>(apis.persistentVolumeClaim);
  const revisionShelf = shelves.of<ControllerRevision>(controllerRevisionApi);

  async function reconcile(key: string): Promise<number | undefined> {
    const { namespace, name } = splitKey(key);
    const set = sets.get(namespace, name);
    if (!set) return undefined;
    const owned = await ownedPods(pods, {
      owner: set,
      selector: set.spec.selector,
      fits: (pod) => ordinalOf(set, pod) >= 0,
    });
    const revisions = await revisionsOf(revisionShelf, set);
    const seen: StatefulSeen = {
      set,
      pods: owned,
      current: revisions.current.metadata.name,
      update: revisions.update.metadata.name,
      now: clock.now(),
    };
    await keepClaimOwners(seen);
    const failure = await carryOut(seen, revisions);
    await writeStatus({ ...seen, pods: pods.ownedBy(set.metadata.uid) }, revisions.collisionCount);
    await truncateHistory(revisionShelf, set, revisions, owned);
    if (failure) throw failure.error;
    return soonestAvailable(owned, set.spec.minReadySeconds ?? 0);
  }

  async function carryOut(seen: StatefulSeen, revisions: Revisions): Promise<{ error: unknown } | null> {
    for (const step of planStatefulSet(seen)) {
      try {
        await carryOutStep(seen.set, revisions, step);
      } catch (error) {
        return { error };
      }
    }
    return null;
  }

  async function carryOutStep(set: StatefulSet, revisions: Revisions, step: StatefulStep) {
    if (step.do === "ensureClaims") return ensureClaims(set, step.ordinal);
    if (step.do === "delete") return deletePod(set, step.pod, step.recreate);
    const revision = step.revision === revisions.current.metadata.name ? revisions.current : revisions.update;
    return createPod(set, revision, step.ordinal);
  }

  async function createPod(set: StatefulSet, revision: ControllerRevision, ordinal: number) {
    const draft = statefulPod(set, revision, ordinal);
    const what = `create Pod ${draft.metadata.name} in StatefulSet ${set.metadata.name}`;
    try {
      await ensureClaims(set, ordinal);
      await pods.create(draft);
    } catch (error) {
      if (codeOf(error) !== 409) record(set, "Warning", "FailedCreate", `${what} failed error: ${messageOf(error)}`);
      throw error;
    }
    record(set, "Normal", "SuccessfulCreate", `${what} successful`);
  }

  async function ensureClaims(set: StatefulSet, ordinal: number) {
    for (const draft of statefulClaims(set, ordinal)) {
      const { name } = draft.metadata;
      const existing = claims.get(set.metadata.namespace ?? "", name);
      if (existing?.metadata.deletionTimestamp !== undefined) throw new Error(`pvc ${name} is being deleted`);
      if (existing) continue;
      const pod = `${set.metadata.name}-${ordinal}`;
      try {
        await claims.create(draft);
      } catch (error) {
        record(
          set,
          "Warning",
          "FailedCreate",
          `create Claim ${name} for Pod ${pod} in StatefulSet ${set.metadata.name} failed error: ${messageOf(error)}`,
        );
        throw error;
      }
      record(
        set,
        "Normal",
        "SuccessfulCreate",
        `create Claim ${name} Pod ${pod} in StatefulSet ${set.metadata.name} success`,
      );
    }
  }

  async function deletePod(set: StatefulSet, pod: Pod, recreate: boolean) {
    const { name, namespace } = set.metadata;
    if (recreate)
      record(
        set,
        "Warning",
        "RecreatingFailedPod",
        `StatefulSet ${namespace ?? ""}/${name} is recreating failed Pod ${pod.metadata.name}`,
      );
    const what = `delete Pod ${pod.metadata.name} in StatefulSet ${name}`;
    try {
      await pods.remove(pod);
    } catch (error) {
      record(set, "Warning", "FailedDelete", `${what} failed error: ${messageOf(error)}`);
      throw error;
    }
    record(set, "Normal", "SuccessfulDelete", `${what} successful`);
  }

  async function keepClaimOwners(seen: StatefulSeen) {
    const { set } = seen;
    const { replicas, condemned } = places(seen);
    const all = [
      ...replicas.map(({ ordinal, pod }) => ({ ordinal, pod, condemned: false })),
      ...condemned.map((pod) => ({ ordinal: ordinalOf(set, pod), pod, condemned: true })),
    ];
    for (const place of all) {
      for (const { metadata } of statefulClaims(set, place.ordinal)) {
        const claim = claims.get(set.metadata.namespace ?? "", metadata.name);
        const owners = claim && claimOwners(set, claim, place.pod, place.condemned);
        if (owners) await claims.update({ ...claim, metadata: { ...claim.metadata, ownerReferences: owners } });
      }
    }
  }

  async function writeStatus(seen: StatefulSeen, collisionCount: number) {
    const fresh = sets.get(seen.set.metadata.namespace ?? "", seen.set.metadata.name);
    if (fresh?.metadata.uid !== seen.set.metadata.uid) return;
    const status = statefulStatus(seen, collisionCount);
    if (canonical(status) !== canonical(fresh.status)) await sets.updateStatus(fresh, status);
  }

  function soonestAvailable(owned: readonly Pod[], minReadySeconds: number): number | undefined {
    const waits = owned.map((pod) => availableInMs(pod, minReadySeconds, clock.now()) ?? 0).filter((ms) => ms > 0);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  return { reconcile, watches: [watchItself(apis.statefulSet), watchControlled(apis.pod, "StatefulSet", sets)] };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
