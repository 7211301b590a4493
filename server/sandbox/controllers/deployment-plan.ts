import { type Deployment, type ReplicaSet } from "@/server/sandbox/objects/workload";

/** How many pods more and fewer than asked for a roll may have. */
export function rollingLimits({ spec }: Deployment): { surge: number; unavailable: number } {
  const replicas = spec.replicas ?? 1;
  if (spec.strategy?.type === "Recreate") return { surge: 0, unavailable: replicas };
  const surge = share(spec.strategy?.rollingUpdate?.maxSurge ?? "25%", replicas, Math.ceil);
  const unavailable = share(spec.strategy?.rollingUpdate?.maxUnavailable ?? "25%", replicas, Math.floor);
  // Both zero would let nothing move.
  return surge === 0 && unavailable === 0
    ? { surge, unavailable: 1 }
    : { surge, unavailable: Math.min(unavailable, replicas) };
}

function share(value: number | string, of: number, round: (value: number) => number): number {
  if (typeof value === "number") return value;
  return value.endsWith("%") ? round((parseFloat(value) / 100) * of) : Number(value);
}

export type Scale = { set: ReplicaSet; to: number };

const wanted = (set: ReplicaSet) => set.spec.replicas ?? 0;
const available = (set: ReplicaSet) => set.status?.availableReplicas ?? 0;
const total = (sets: readonly ReplicaSet[]) => sets.reduce((sum, set) => sum + wanted(set), 0);

/** The next scaling of a rolling update: first room for the new, then as many of the old away as may be missed. */
export function rollingStep(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): Scale[] {
  const replicas = deployment.spec.replicas ?? 1;
  const { surge, unavailable } = rollingLimits(deployment);
  const all = [...old, current];
  if (wanted(current) !== replicas) {
    if (wanted(current) > replicas) return [{ set: current, to: replicas }];
    const room = replicas + surge - total(all);
    if (room > 0) return [{ set: current, to: Math.min(wanted(current) + room, replicas) }];
  }
  return scaleDownOld({ current, old, replicas, unavailable });
}

function scaleDownOld({
  current,
  old,
  replicas,
  unavailable,
}: {
  current: ReplicaSet;
  old: readonly ReplicaSet[];
  replicas: number;
  unavailable: number;
}): Scale[] {
  const least = replicas - unavailable;
  const newUnavailable = wanted(current) - available(current);
  let spare = total([...old, current]) - least - newUnavailable;
  if (spare <= 0) return [];
  const steps = new Map<ReplicaSet, number>();
  // Pods that serve nobody are no loss: they go first.
  for (const set of old) {
    const unhealthy = Math.max(0, Math.min(spare, wanted(set) - available(set)));
    if (unhealthy > 0) steps.set(set, wanted(set) - unhealthy);
    spare -= unhealthy;
  }
  let surplus = [...old, current].reduce((sum, set) => sum + available(set), 0) - least;
  for (const set of old) {
    const left = steps.get(set) ?? wanted(set);
    const away = Math.max(0, Math.min(surplus, left));
    if (away > 0) steps.set(set, left - away);
    surplus -= away;
  }
  return [...steps].map(([set, to]) => ({ set, to }));
}

/** Recreate: nothing new before everything old is gone. `oldPods` counts pods that are still there, also terminating. */
export function recreateStep(
  deployment: Deployment,
  current: ReplicaSet | null,
  old: readonly ReplicaSet[],
  oldPods: number,
): Scale[] {
  const down = old.filter((set) => wanted(set) > 0).map((set) => ({ set, to: 0 }));
  if (down.length > 0 || oldPods > 0 || !current) return down;
  const replicas = deployment.spec.replicas ?? 1;
  return wanted(current) === replicas ? [] : [{ set: current, to: replicas }];
}

/** A deployment whose size changed in the middle of a roll, or while it is paused: every set by its share. */
export function proportionalStep(deployment: Deployment, sets: readonly ReplicaSet[]): Scale[] {
  const replicas = deployment.spec.replicas ?? 1;
  const active = sets.filter((set) => wanted(set) > 0);
  const [only] = active;
  if (active.length <= 1) {
    const target = only ?? sets.at(-1);
    return target && wanted(target) !== replicas ? [{ set: target, to: replicas }] : [];
  }
  const allowed = replicas > 0 ? replicas + rollingLimits(deployment).surge : 0;
  let left = allowed - total(active);
  const sizes = active.toSorted((a, b) => wanted(b) - wanted(a));
  const before = total(active);
  const steps = sizes.map((set) => {
    const part = Math.round((wanted(set) * allowed) / before) - wanted(set);
    const given = left > 0 ? Math.max(0, Math.min(part, left)) : Math.min(0, Math.max(part, left));
    left -= given;
    return { set, to: wanted(set) + given };
  });
  const [largest] = steps;
  if (largest) largest.to = Math.max(0, largest.to + left);
  return steps.filter(({ set, to }) => to !== wanted(set));
}
