import { type Api } from "@/server/kubernetes/object";
import { controllerRefTo } from "@/server/sandbox/objects/meta";
import { type Pod } from "@/server/sandbox/objects/pod";
import { type ControllerRevision, type StatefulSet } from "@/server/sandbox/objects/workload";
import { codeOf, type Shelf } from "./shelves";
import { canonicalTemplate, templateHash } from "./template-hash";

export const controllerRevisionApi: Api = {
  group: "apps",
  version: "v1",
  plural: "controllerrevisions",
  kind: "ControllerRevision",
  namespaced: true,
};

export type Revisions = {
  all: ControllerRevision[];
  current: ControllerRevision;
  update: ControllerRevision;
  collisionCount: number;
};

/** The revision of the spec as it is, made if there is none, and the one that the set is still on. */
export async function revisionsOf(shelf: Shelf<ControllerRevision>, set: StatefulSet): Promise<Revisions> {
  const all = shelf.ownedBy(set.metadata.uid).toSorted(byRevision);
  const data = revisionData(set);
  const wanted = canonicalTemplate(data);
  const equal = all.findLast((revision) => canonicalTemplate(revision.data) === wanted);
  const newest = all.at(-1);
  const next = (newest?.revision ?? 0) + 1;
  const made = equal
    ? { revision: equal, collisionCount: set.status?.collisionCount ?? 0 }
    : await createRevision(shelf, set, data, next);
  // A spec that was there before is a roll-back: its revision becomes the newest again.
  const update = equal && equal !== newest ? await shelf.update({ ...equal, revision: next }) : made.revision;
  const current = all.find((revision) => revision.metadata.name === set.status?.currentRevision) ?? update;
  return {
    all: [...all.filter((revision) => revision.metadata.uid !== update.metadata.uid), update],
    current,
    update,
    collisionCount: made.collisionCount,
  };
}

function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return a.revision - b.revision || (a.metadata.name < b.metadata.name ? -1 : 1);
}

function revisionData(set: StatefulSet): ControllerRevision["data"] {
  return { spec: { template: { ...structuredClone(set.spec.template), $patch: "replace" } } };
}

async function createRevision(
  shelf: Shelf<ControllerRevision>,
  set: StatefulSet,
  data: ControllerRevision["data"],
  revision: number,
) {
  let collisionCount = set.status?.collisionCount ?? 0;
  for (;;) {
    const hash = templateHash(data, collisionCount);
    try {
      const created = await shelf.create({
        apiVersion: "apps/v1",
        kind: "ControllerRevision",
        metadata: {
          name: `${set.metadata.name}-${hash}`,
          namespace: set.metadata.namespace,
          labels: { ...set.spec.template.metadata?.labels, "controller.kubernetes.io/hash": hash },
          annotations: set.metadata.annotations && { ...set.metadata.annotations },
          ownerReferences: [controllerRefTo(set)],
        },
        data,
        revision,
      });
      return { revision: created, collisionCount };
    } catch (error) {
      if (codeOf(error) !== 409) throw error;
      collisionCount += 1;
    }
  }
}

/** Forgets the oldest revisions that nobody uses, beyond the limit. */
export async function truncateHistory(
  shelf: Shelf<ControllerRevision>,
  set: StatefulSet,
  revisions: Revisions,
  pods: readonly Pod[],
) {
  const live = new Set([revisions.current.metadata.name, revisions.update.metadata.name, ...pods.map(revisionOf)]);
  const unused = revisions.all.filter((revision) => !live.has(revision.metadata.name));
  const surplus = unused.length - (set.spec.revisionHistoryLimit ?? 10);
  for (const revision of unused.slice(0, Math.max(0, surplus))) await shelf.remove(revision);
}

export function revisionOf(pod: Pod): string {
  return pod.metadata.labels?.["controller-revision-hash"] ?? "";
}
