import { without } from "@/server/sandbox/json";
import { type ContainerStatus, isFinished, type Pod } from "@/server/sandbox/objects/pod";
import { type ContainerLife, startContainer } from "./container-life";
import { type PodContext } from "./pod-context";
import { containerStatusesOf } from "./pod-status";

export type EphemeralContainers = {
  lives: readonly ContainerLife[];
  /** Starts those that the pod has been given since it was last seen. */
  startNew(pod: Pod): void;
  statuses(pod: Pod): ContainerStatus[];
};

/** The containers that a pod is given to look into it. Each runs once, and the pod does not depend on it. */
export function createEphemeralContainers(
  context: PodContext,
  before: readonly ContainerStatus[] = [],
): EphemeralContainers {
  const lives: ContainerLife[] = [];
  const over = before.filter(({ state }) => state.terminated);
  const seen = new Set(over.map(({ name }) => name));
  return {
    lives,
    startNew(pod) {
      if (isFinished(pod)) return;
      for (const container of pod.spec.ephemeralContainers ?? []) {
        if (seen.has(container.name)) continue;
        seen.add(container.name);
        lives.push(startContainer(context, container, { list: "ephemeralContainers", restarts: () => false }));
      }
    },
    statuses: (pod) =>
      containerStatusesOf(lives, pod.spec.ephemeralContainers ?? [], "ContainerCreating").map(
        // Nobody asks whether it is ready.
        (status) => over.find(({ name }) => name === status.name) ?? { ...without(status, "started"), ready: false },
      ),
  };
}
