import { apis } from "@/server/kubernetes/apis";
import { controllerOf, controllerRefTo, type Kept, splitKey, without } from "@/server/sandbox/objects/meta";
import { type Pod } from "@/server/sandbox/objects/pod";
import { type Deployment, type ReplicaSet } from "@/server/sandbox/objects/workload";
import { type Controller, type ControllerContext, watchControlled, watchItself } from "./controller";
import { proportionalStep, recreateStep, rollingLimits, rollingStep, type Scale } from "./deployment-plan";
import { deadlineIn, deploymentStatusOf } from "./deployment-status";
import { codeOf } from "./shelves";
import { messageOf } from "./stateful-set-controller";
import { canonical, canonicalTemplate, templateHash } from "./template-hash";

const REVISION = "deployment.kubernetes.io/revision";
const DESIRED = "deployment.kubernetes.io/desired-replicas";
const MOST = "deployment.kubernetes.io/max-replicas";
const HASH = "pod-template-hash";

/** Rolls a template out over replica sets, one for each version of it. */
export function deploymentController({ shelves, clock, record }: ControllerContext): Controller {
  const deployments = shelves.of<Deployment>(apis.deployment);
  const replicaSets = shelves.of<ReplicaSet>(apis.replicaSet);
  const pods = shelves.of<Pod>(apis.pod);

  async function reconcile(key: string): Promise<number | undefined> {
    const { namespace, name } = splitKey(key);
    const deployment = deployments.get(namespace, name);
    if (!deployment || deployment.metadata.deletionTimestamp !== undefined) return undefined;
    const before = setsOf(deployment);
    const wanted = canonicalTemplate(withoutHash(deployment.spec.template));
    const existing = before.find((set) => canonicalTemplate(withoutHash(set.spec.template)) === wanted) ?? null;
    const held = deployment.spec.paused === true || waitsForOldPods(deployment, before, existing);
    const made =
      !existing && !held
        ? await createSet(deployment, before)
        : { set: existing, collisionCount: deployment.status?.collisionCount ?? 0 };
    if (existing && !deployment.spec.paused) await claimRevision(deployment, existing, before);
    const current = made.set && (replicaSets.get(namespace, made.set.metadata.name) ?? made.set);
    const old = setsOf(deployment).filter(({ metadata }) => metadata.uid !== current?.metadata.uid);
    for (const scale of nextSteps(deployment, current, old)) await scaleTo(deployment, scale);
    if (!deployment.spec.paused) await cleanUp(deployment, old);
    await writeStatus(deployment, current, made.set !== existing, made.collisionCount);
    const fresh = deployments.get(namespace, name);
    return fresh && deadlineIn(fresh, clock.now());
  }

  const setsOf = (deployment: Deployment) =>
    replicaSets
      .ownedBy(deployment.metadata.uid)
      .filter((set) => controllerOf(set)?.uid === deployment.metadata.uid)
      .toSorted((a, b) => revisionOf(a) - revisionOf(b));

  const podsOf = (sets: readonly ReplicaSet[]) => sets.flatMap(({ metadata }) => pods.ownedBy(metadata.uid));

  const waitsForOldPods = (deployment: Deployment, sets: readonly ReplicaSet[], existing: ReplicaSet | null) => {
    if (deployment.spec.strategy?.type !== "Recreate") return false;
    const old = sets.filter((set) => set !== existing);
    return old.some(({ spec }) => (spec.replicas ?? 0) > 0) || podsOf(old).length > 0;
  };

  function nextSteps(deployment: Deployment, current: ReplicaSet | null, old: readonly ReplicaSet[]): Scale[] {
    const sets = current ? [...old, current] : [...old];
    const resized = sets.some(
      (set) =>
        (set.spec.replicas ?? 0) > 0 &&
        set.metadata.annotations?.[DESIRED] !== undefined &&
        set.metadata.annotations[DESIRED] !== String(deployment.spec.replicas ?? 1),
    );
    if (deployment.spec.paused || resized) return proportionalStep(deployment, sets);
    if (deployment.spec.strategy?.type === "Recreate")
      return recreateStep(deployment, current, old, podsOf(old).length);
    return current ? rollingStep(deployment, current, old) : [];
  }

  async function createSet(
    deployment: Deployment,
    before: readonly ReplicaSet[],
  ): Promise<{ set: ReplicaSet | null; collisionCount: number }> {
    const revision = String(Math.max(0, ...before.map(revisionOf)) + 1);
    for (let collisionCount = deployment.status?.collisionCount ?? 0; ; collisionCount += 1) {
      const hash = templateHash(deployment.spec.template, collisionCount);
      const { template } = deployment.spec;
      const labels = { ...template.metadata?.labels, [HASH]: hash };
      try {
        const set = await replicaSets.create({
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          metadata: {
            name: `${deployment.metadata.name}-${hash}`,
            namespace: deployment.metadata.namespace,
            labels,
            annotations: { ...inherited(deployment), [REVISION]: revision, ...sizeAnnotations(deployment) },
            ownerReferences: [controllerRefTo(deployment)],
          },
          spec: {
            replicas: 0,
            minReadySeconds: deployment.spec.minReadySeconds,
            selector: {
              ...deployment.spec.selector,
              matchLabels: { ...deployment.spec.selector.matchLabels, [HASH]: hash },
            },
            template: { ...template, metadata: { ...template.metadata, labels } },
          },
        });
        await setRevision(deployment, revision);
        return { set, collisionCount };
      } catch (error) {
        if (codeOf(error) !== 409) throw error;
        const other = replicaSets.get(deployment.metadata.namespace ?? "", `${deployment.metadata.name}-${hash}`);
        // Ours after all: the pass before this one made it.
        if (
          other &&
          controllerOf(other)?.uid === deployment.metadata.uid &&
          canonicalTemplate(withoutHash(other.spec.template)) === canonicalTemplate(withoutHash(template))
        )
          return { set: other, collisionCount };
      }
    }
  }

  /** A template that was there before is a roll-back: its set becomes the newest revision. */
  async function claimRevision(deployment: Deployment, set: ReplicaSet, all: readonly ReplicaSet[]) {
    const newest = Math.max(0, ...all.filter((other) => other !== set).map(revisionOf));
    const revision = revisionOf(set) > newest ? revisionOf(set) : newest + 1;
    if (revision !== revisionOf(set)) await annotate(set, { [REVISION]: String(revision) });
    await setRevision(deployment, String(revision));
  }

  async function setRevision(deployment: Deployment, revision: string) {
    if (deployment.metadata.annotations?.[REVISION] === revision) return;
    const { namespace = "", name } = deployment.metadata;
    await deployments.change(namespace, name, (old) => annotated(old, { [REVISION]: revision }));
  }

  async function annotate(set: ReplicaSet, annotations: Record<string, string>) {
    const { namespace = "", name } = set.metadata;
    await replicaSets.change(namespace, name, (old) => annotated(old, annotations));
  }

  const sizeAnnotations = (deployment: Deployment) => ({
    [DESIRED]: String(deployment.spec.replicas ?? 1),
    [MOST]: String((deployment.spec.replicas ?? 1) + rollingLimits(deployment).surge),
  });

  async function scaleTo(deployment: Deployment, { set, to }: Scale) {
    const from = set.spec.replicas ?? 0;
    const { namespace = "", name } = set.metadata;
    const scaled = (old: ReplicaSet) =>
      annotated({ ...old, spec: { ...old.spec, replicas: to } }, sizeAnnotations(deployment));
    try {
      await replicaSets.change(namespace, name, scaled);
    } catch (error) {
      record(deployment, "Warning", "FailedCreate", `Failed to scale replica set "${name}": ${messageOf(error)}`);
      throw error;
    }
    record(
      deployment,
      "Normal",
      "ScalingReplicaSet",
      `Scaled ${to > from ? "up" : "down"} replica set ${name} from ${from} to ${to}`,
    );
  }

  async function cleanUp(deployment: Deployment, old: readonly ReplicaSet[]) {
    const idle = old.filter(({ spec, status }) => (spec.replicas ?? 0) === 0 && (status?.replicas ?? 0) === 0);
    const surplus = idle.length - (deployment.spec.revisionHistoryLimit ?? 10);
    for (const set of idle.slice(0, Math.max(0, surplus))) await replicaSets.remove(set);
  }

  async function writeStatus(seen: Deployment, current: ReplicaSet | null, created: boolean, collisionCount: number) {
    const deployment = deployments.get(seen.metadata.namespace ?? "", seen.metadata.name);
    if (deployment?.metadata.uid !== seen.metadata.uid) return;
    const fresh = current && (replicaSets.get(current.metadata.namespace ?? "", current.metadata.name) ?? null);
    const observed = { ...deployment, metadata: { ...deployment.metadata, generation: seen.metadata.generation } };
    const status = deploymentStatusOf({
      deployment: observed,
      current: fresh,
      sets: setsOf(deployment),
      created,
      collisionCount,
      now: clock.now(),
    });
    if (canonical(status) !== canonical(deployment.status)) await deployments.updateStatus(deployment, status);
  }

  // Pods too: Recreate waits until the last of the old ones is gone.
  const watchPods = {
    api: apis.pod,
    keysOf: ({
      object,
      type,
    }: {
      object: { metadata: Pod["metadata"]; apiVersion: string; kind: string };
      type: string;
    }) => {
      const owner = type === "DELETED" ? controllerOf(object) : undefined;
      const set =
        owner?.kind === "ReplicaSet" ? replicaSets.get(object.metadata.namespace ?? "", owner.name) : undefined;
      const parent = set && controllerOf(set);
      return parent ? [`${object.metadata.namespace ?? ""}/${parent.name}`] : [];
    },
  };
  return {
    reconcile,
    watches: [watchItself(apis.deployment), watchControlled(apis.replicaSet, "Deployment", deployments), watchPods],
  };
}

function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.[REVISION] ?? 0);
}

function withoutHash(template: Deployment["spec"]["template"]) {
  const labels = without(template.metadata?.labels ?? {}, HASH);
  return { ...template, metadata: { ...template.metadata, labels } };
}

function inherited({ metadata }: Deployment): Record<string, string> {
  const skipped = new Set(["kubectl.kubernetes.io/last-applied-configuration", REVISION, DESIRED, MOST]);
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !skipped.has(name)));
}

function annotated<T extends Kept>(object: T, annotations: Record<string, string>): T {
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
  };
}
