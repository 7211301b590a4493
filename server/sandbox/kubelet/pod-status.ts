import { type Condition, timestampOf } from "@/server/sandbox/objects/meta";
import { type ContainerStatus, type Pod, type PodStatus } from "@/server/sandbox/objects/pod";
import { type ContainerLife } from "./container-life";

/** What a kubelet knows of one of its pods. */
export type PodFacts = {
  pod: Pod;
  init: readonly ContainerStatus[];
  containers: readonly ContainerStatus[];
  ephemeral: readonly ContainerStatus[];
  address: string | null;
  hostAddress: string;
  /** Why the kubelet gave the pod up, if it did. */
  failure: { reason: string; message: string } | null;
  now: number;
};

/** The status as it should stand; conditions keep their times while they keep their status. */
export function podStatusOf(facts: PodFacts): PodStatus {
  const { pod, init, containers, ephemeral, address, hostAddress, failure, now } = facts;
  const phase = failure ? "Failed" : phaseOf(facts);
  return {
    ...pod.status,
    phase,
    conditions: conditionsOf(facts, phase),
    ...(failure ?? {}),
    hostIP: hostAddress,
    hostIPs: [{ ip: hostAddress }],
    ...(address === null ? {} : { podIP: address, podIPs: [{ ip: address }] }),
    startTime: pod.status?.startTime ?? timestampOf(now),
    ...(init.length > 0 ? { initContainerStatuses: [...init] } : {}),
    containerStatuses: [...containers],
    ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: [...ephemeral] } : {}),
    qosClass: pod.status?.qosClass ?? qosClassOf(pod),
  };
}

/** One for each container of the spec; those that were not started yet wait for this reason. */
export function containerStatusesOf(
  lives: readonly ContainerLife[],
  specs: Pod["spec"]["containers"],
  waiting: string,
): ContainerStatus[] {
  return specs.map(
    (spec) =>
      lives.find(({ container }) => container.name === spec.name)?.status() ?? {
        name: spec.name,
        state: { waiting: { reason: waiting } },
        lastState: {},
        ready: false,
        restartCount: 0,
        image: spec.image,
        imageID: "",
        started: false,
      },
  );
}

function phaseOf({ pod, init, containers }: PodFacts): NonNullable<PodStatus["phase"]> {
  const { restartPolicy = "Always" } = pod.spec;
  const failedInit = init.some(({ state }) => state.terminated && state.terminated.exitCode !== 0);
  if (failedInit && restartPolicy === "Never") return "Failed";
  if (!isInitialized(pod, init)) return "Pending";
  const waiting = containers.some(({ state, lastState }) => state.waiting && !lastState.terminated);
  if (waiting) return "Pending";
  const stopped = containers.every(({ state }) => state.terminated);
  if (!stopped || restartPolicy === "Always") return "Running";
  if (containers.every(({ state }) => state.terminated?.exitCode === 0)) return "Succeeded";
  return restartPolicy === "Never" ? "Failed" : "Running";
}

/** Ordinary init containers have succeeded; those that keep running beside the pod have started. */
function isInitialized(pod: Pod, init: readonly ContainerStatus[]): boolean {
  return init.every((status) => {
    const spec = pod.spec.initContainers?.find(({ name }) => name === status.name);
    return spec?.restartPolicy === "Always" ? status.started === true : status.state.terminated?.exitCode === 0;
  });
}

function conditionsOf(facts: PodFacts, phase: PodStatus["phase"]): Condition[] {
  const { pod, init, containers, failure, now } = facts;
  const finished = phase === "Succeeded";
  const incomplete = init.filter((status) => !isInitialized(pod, [status])).map(({ name }) => name);
  const unready = containers.filter(({ ready }) => !ready).map(({ name }) => name);
  const initialized: Condition =
    incomplete.length === 0
      ? yes("Initialized")
      : no("Initialized", "ContainersNotInitialized", `containers with incomplete status: [${incomplete.join(" ")}]`);
  const allReady = (type: string): Condition => {
    if (finished) return no(type, "PodCompleted");
    if (failure || phase === "Failed") return no(type, "PodFailed");
    return unready.length === 0 && incomplete.length === 0
      ? yes(type)
      : no(type, "ContainersNotReady", `containers with unready status: [${unready.join(" ")}]`);
  };
  const gates = (pod.spec.readinessGates ?? []).filter(
    ({ conditionType }) =>
      !pod.status?.conditions?.some(({ type, status }) => type === conditionType && status === "True"),
  );
  const containersReady = allReady("ContainersReady");
  const ready =
    containersReady.status === "True" && gates.length > 0
      ? no(
          "Ready",
          "ReadinessGatesNotReady",
          `the status of pod readiness gate "${gates[0]?.conditionType ?? ""}" is not "True", but False`,
        )
      : allReady("Ready");
  const wanted = [initialized, ready, containersReady, yes("PodScheduled")];
  const others = (pod.status?.conditions ?? []).filter(
    ({ type }) => !wanted.some((condition) => condition.type === type),
  );
  return [...wanted.map((condition) => dated(condition, pod, now)), ...others];
}

function yes(type: string): Condition {
  return { type, status: "True" };
}

function no(type: string, reason: string, message?: string): Condition {
  return { type, status: "False", reason, ...(message ? { message } : {}) };
}

function dated(condition: Condition, pod: Pod, now: number): Condition {
  const before = pod.status?.conditions?.find(({ type }) => type === condition.type);
  const since = before?.status === condition.status ? before.lastTransitionTime : undefined;
  return { ...condition, lastProbeTime: null, lastTransitionTime: since ?? timestampOf(now) };
}

/** Guaranteed, Burstable or BestEffort, by what the containers ask for. */
function qosClassOf({ spec }: Pod): string {
  const all = [...spec.containers, ...(spec.initContainers ?? [])].map(({ resources }) => resources ?? {});
  const asked = all.flatMap(({ requests, limits }) => [...Object.keys(requests ?? {}), ...Object.keys(limits ?? {})]);
  if (!asked.some((name) => name === "cpu" || name === "memory")) return "BestEffort";
  const guaranteed = all.every(({ requests, limits }) =>
    ["cpu", "memory"].every(
      (name) => limits?.[name] !== undefined && (requests?.[name] ?? limits[name]) === limits[name],
    ),
  );
  return guaranteed ? "Guaranteed" : "Burstable";
}
