import { type ContainerStatus, type Pod, type PodStatus } from "@/server/sandbox/objects/pod";
import { canonical } from "@/server/sandbox/controllers/template-hash";
import { type ContainerLife, startContainer } from "./container-life";
import { createEphemeralContainers } from "./ephemeral-containers";
import { type FileSystem } from "./file-system";
import { type PodContext } from "./pod-context";
import { MissingReference, volumesOf } from "./pod-environment";
import { containerStatusesOf, podStatusOf } from "./pod-status";

export type PodLife = {
  context: PodContext;
  /** The pod changed in the store. */
  see(pod: Pod): void;
  container(name: string | undefined): ContainerLife | undefined;
  /** Ends everything of it without a trace: the object is gone, or the sandbox stops. */
  kill(): void;
  /** Its object is gone: whatever still runs is told of, and killed. */
  vanish(): void;
};

export type PodLifeOptions = Omit<PodContext, "pod" | "hasInit" | "address" | "volumes" | "changed"> & {
  hostAddress: string;
  takeAddress(wanted: string | undefined): string;
  releaseAddress(address: string): void;
  /** The names of claims that are not bound yet. */
  unboundClaims(pod: Pod): string[];
  /** Writes the status that follows from what is there when it is written. */
  writeStatus(pod: Pod, statusOf: (current: Pod) => PodStatus): Promise<void>;
  remove(pod: Pod): Promise<void>;
};

const MOUNT_RETRY_MS = 2_000;

/** Plays one pod on its node: volumes, init containers in order, containers, status, and the end. */
export function startPod(first: Pod, options: PodLifeOptions): PodLife {
  const { clock, record } = options;
  const halt = new AbortController();
  let pod = first;
  let address: string | null = null;
  let volumes: ReadonlyMap<string, FileSystem> = new Map();
  let failure: { reason: string; message: string } | null = null;
  let writing = false;
  let dirty = false;
  let terminating = false;
  let grace: { endMs: number } | null = null;
  const init: ContainerLife[] = [];
  const containers: ContainerLife[] = [];

  const context: PodContext = {
    ...options,
    pod: () =>
      address === null ? pod : { ...pod, status: { ...pod.status, podIP: address, hostIP: options.hostAddress } },
    hasInit: (first.spec.initContainers ?? []).length > 0,
    address: () => address ?? "",
    volumes: () => volumes,
    changed: () => void flush(),
  };

  const ephemeral = createEphemeralContainers(context, first.status?.ephemeralContainerStatuses);
  const everyLife = () => [...containers, ...init, ...ephemeral.lives];

  async function live() {
    if (!(await mountVolumes())) return;
    address = options.takeAddress(pod.status?.podIP);
    ephemeral.startNew(pod);
    if (!(await initialize())) return;
    for (const container of pod.spec.containers) {
      containers.push(
        startContainer(
          context,
          container,
          { list: "containers", restarts: restartsAfter() },
          statusBefore("containerStatuses", container.name),
        ),
      );
    }
    void flush();
    watchDeadline();
    // Sidecars among the init containers go when the rest is done, and so does who looks on.
    await Promise.all(containers.map((life) => life.finished));
    if (!halt.signal.aborted && !terminating)
      await Promise.all([...init, ...ephemeral.lives].map((life) => life.stop(0)));
    void flush();
  }

  const restartsAfter =
    (policy = pod.spec.restartPolicy ?? "Always") =>
    (exit: { code: number }) =>
      policy === "Always" || (policy === "OnFailure" && exit.code !== 0);

  const statusBefore = (
    field: "containerStatuses" | "initContainerStatuses",
    name: string,
  ): ContainerStatus | undefined => first.status?.[field]?.find((status) => status.name === name);

  async function mountVolumes(): Promise<boolean> {
    while (!halt.signal.aborted) {
      try {
        const unbound = options.unboundClaims(pod);
        if (unbound.length > 0)
          throw new MissingReference(`persistentvolumeclaim ${JSON.stringify(unbound[0])} not bound`);
        volumes = volumesOf(pod, options.sources);
        return true;
      } catch (error) {
        if (!(error instanceof MissingReference)) throw error;
        const kind = /^(\S+) "(.*)" /.exec(error.message);
        const volume = pod.spec.volumes?.find((candidate) =>
          JSON.stringify(candidate).includes(`"${kind?.[2] ?? ""}"`),
        );
        record(
          pod,
          "Warning",
          "FailedMount",
          `MountVolume.SetUp failed for volume "${volume?.name ?? ""}" : ${error.message}`,
        );
        void flush();
        await clock.sleep(MOUNT_RETRY_MS, halt.signal);
      }
    }
    return false;
  }

  /** One after the other; a sidecar only has to start. False: the pod ended before. */
  async function initialize(): Promise<boolean> {
    for (const container of pod.spec.initContainers ?? []) {
      const before = statusBefore("initContainerStatuses", container.name);
      const sidecar = container.restartPolicy === "Always";
      const policy = pod.spec.restartPolicy === "Never" ? "Never" : "OnFailure";
      const life = startContainer(
        context,
        container,
        { list: "initContainers", restarts: restartsAfter(sidecar ? "Always" : policy) },
        before,
      );
      init.push(life);
      void flush();
      const exit = await Promise.race([life.finished, ...(sidecar ? [life.started.then(() => null)] : [])]);
      if (halt.signal.aborted || terminating || (exit !== null && exit.code !== 0)) {
        void flush();
        return false;
      }
    }
    return true;
  }

  function watchDeadline() {
    const seconds = pod.spec.activeDeadlineSeconds;
    if (seconds === undefined) return;
    const since = Date.parse(pod.status?.startTime ?? "") || clock.now();
    void clock.sleep(Math.max(0, since + seconds * 1_000 - clock.now()), halt.signal).then(async () => {
      if (halt.signal.aborted || terminating) return;
      failure = {
        reason: "DeadlineExceeded",
        message: "Pod was active on the node longer than the specified deadline",
      };
      record(pod, "Normal", "DeadlineExceeded", failure.message);
      await stopContainers((pod.spec.terminationGracePeriodSeconds ?? 30) * 1_000);
      void flush();
    });
  }

  /** Writes the status when it is different, one write at a time, the newest last. */
  async function flush() {
    dirty = true;
    if (writing || halt.signal.aborted) return;
    writing = true;
    // A cluster that moves its clock before the status is told would tell it too late.
    await options.underWay(write());
    writing = false;
  }

  async function write() {
    await new Promise((resolve) => setImmediate(resolve));
    while (dirty && !isHalted()) {
      dirty = false;
      const facts = {
        init: containerStatusesOf(init, pod.spec.initContainers ?? [], "PodInitializing"),
        containers: containerStatusesOf(
          containers,
          pod.spec.containers,
          context.hasInit ? "PodInitializing" : "ContainerCreating",
        ),
        ephemeral: ephemeral.statuses(pod),
        address,
        hostAddress: options.hostAddress,
        failure,
        now: clock.now(),
      };
      const statusOf = (current: Pod) => podStatusOf({ ...facts, pod: current });
      if (canonical(statusOf(pod)) !== canonical(pod.status))
        await options.writeStatus(pod, statusOf).catch(() => undefined);
    }
  }

  const isHalted = () => halt.signal.aborted;

  async function stopContainers(graceMs: number) {
    await Promise.all(everyLife().map((life) => life.stop(graceMs)));
  }

  async function terminate() {
    if (terminating) return;
    terminating = true;
    const seconds = pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
    grace = { endMs: clock.monotonic() + seconds * 1_000 };
    await stopContainers(seconds * 1_000);
    if (isHalted()) return;
    await flush();
    kill();
    await options.underWay(options.remove(pod).catch(() => undefined));
  }

  function kill() {
    halt.abort();
    everyLife().forEach((life) => life.kill());
    if (address !== null) options.releaseAddress(address);
    address = null;
  }

  void live();
  return {
    context,
    container: (name) =>
      name === undefined ? containers[0] : everyLife().find(({ container }) => container.name === name),
    kill,
    vanish: () => {
      everyLife().forEach((life) => life.tellStop());
      kill();
    },
    see: (next) => {
      pod = next;
      if (next.metadata.deletionTimestamp === undefined) {
        if (address !== null) ephemeral.startNew(next);
        // Somebody may have written over the status, or set a readiness gate.
        void flush();
        return;
      }
      const shorter =
        grace && clock.monotonic() + (next.metadata.deletionGracePeriodSeconds ?? 0) * 1_000 < grace.endMs - 1_000;
      if (shorter)
        containers.forEach((life) => void life.stop((next.metadata.deletionGracePeriodSeconds ?? 0) * 1_000));
      void terminate();
    },
  };
}
