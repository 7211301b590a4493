import { createHash, randomBytes } from "node:crypto";
import { timestampOf } from "@/server/sandbox/objects/meta";
import {
  type Container,
  type ContainerState,
  type ContainerStatus,
  type Terminated,
} from "@/server/sandbox/objects/pod";
import { type Exit, type Input } from "@/server/sandbox/programs/program";
import { type Process, startProcess } from "@/server/sandbox/programs/process";
import { noInput } from "@/server/sandbox/programs/pipe";
import { type ContainerLog, createContainerLog } from "./container-log";
import { type FileSystem } from "./file-system";
import { pullsAlways } from "./images";
import { environmentOf, containerFiles, hostnameOf, MissingReference } from "./pod-environment";
import { type PodContext } from "./pod-context";
import { carryOutAction } from "./probe";
import { startProbeLoop } from "./probe-loop";
import { programOf } from "./programs-of";
import { runInContainer } from "./run-in-container";

export type ContainerLife = {
  container: Container;
  status(): ContainerStatus;
  files(): FileSystem | null;
  env(): Readonly<Record<string, string>>;
  isRunning(): boolean;
  log(previous: boolean): ContainerLog | null;
  /** Resolves when it will not run again. */
  finished: Promise<Exit>;
  started: Promise<void>;
  /** What a terminal that is attached to it sees and sends. */
  attach(listener: (stream: "stdout" | "stderr", chunk: Buffer) => void): () => void;
  /** Asks it to end, and makes it end when the time is over. */
  stop(graceMs: number): Promise<void>;
  /** Ends at once, as a node that loses power. */
  kill(): void;
};

/** The end of a longer termination message is what is kept of it. */
const MESSAGE_BYTES_MAX = 4_096;
const BACKOFF_FIRST_MS = 10_000;
const BACKOFF_MOST_MS = 300_000;
/** After so long a run a crash counts as the first one again. */
const BACKOFF_RESET_MS = 600_000;

type Role = { init: boolean; restarts: (exit: Exit) => boolean };

/** Plays one container of a pod from its image to its last exit. */
export function startContainer(
  context: PodContext,
  container: Container,
  role: Role,
  before?: ContainerStatus,
): ContainerLife {
  const { clock, trouble, changed } = context;
  const halt = new AbortController();
  const listeners = new Set<(stream: "stdout" | "stderr", chunk: Buffer) => void>();
  let state: ContainerState = {
    waiting: { reason: role.init || !context.hasInit ? "ContainerCreating" : "PodInitializing" },
  };
  let lastState: ContainerState = before?.lastState ?? {};
  let restartCount = before?.restartCount ?? 0;
  let ready = false;
  let started = false;
  let containerID: string | undefined;
  let process: Process | null = null;
  let files: FileSystem | null = null;
  let env: Readonly<Record<string, string>> = {};
  let log: ContainerLog | null = null;
  let previousLog: ContainerLog | null = null;
  let backOffMs = 0;
  let markStarted: () => void = () => undefined;
  const startedOnce = new Promise<void>((resolve) => (markStarted = resolve));
  const about = () =>
    `${context.pod().metadata.name}_${context.pod().metadata.namespace ?? ""}(${context.pod().metadata.uid})`;
  const fieldPath = `spec.${role.init ? "initContainers" : "containers"}{${container.name}}`;
  const record = (type: "Normal" | "Warning", reason: string, message: string) =>
    context.record(context.pod(), type, reason, message, fieldPath);

  function become(next: ContainerState) {
    state = next;
    changed();
  }

  async function live(): Promise<Exit> {
    for (;;) {
      if (!(await obtainImage())) return { code: 137 };
      if (!(await configure())) return { code: 137 };
      const exit = await runOnce();
      if (halt.signal.aborted || !role.restarts(exit)) return exit;
      if (!(await backOff())) return exit;
      lastState = state.terminated ? state : lastState;
      restartCount += 1;
    }
  }

  async function obtainImage(): Promise<boolean> {
    const { image, imagePullPolicy: policy } = container;
    for (let backoffMs = BACKOFF_FIRST_MS; !halt.signal.aborted; backoffMs = Math.min(backoffMs * 2, BACKOFF_MOST_MS)) {
      const made = trouble.pullError(container.name);
      if (made === null && context.images.isPresent(image) && !pullsAlways(image, policy)) {
        record("Normal", "Pulled", `Container image "${image}" already present on machine`);
        return true;
      }
      if (policy === "Never") {
        const message = `Container image "${image}" is not present with pull policy of Never`;
        record("Warning", "ErrImageNeverPull", message);
        become({ waiting: { reason: "ErrImageNeverPull", message } });
        await clock.sleep(BACKOFF_FIRST_MS, halt.signal);
        continue;
      }
      record("Normal", "Pulling", `Pulling image "${image}"`);
      if (trouble.pullDelayMs > 0) await clock.sleep(trouble.pullDelayMs, halt.signal);
      const failure = made ?? context.images.pull(image);
      if (failure === null) {
        const took = `${trouble.pullDelayMs / 1_000}s`;
        record("Normal", "Pulled", `Successfully pulled image "${image}" in ${took} (${took} including waiting)`);
        return !isHalted();
      }
      await failPull(image, failure, backoffMs);
    }
    return false;
  }

  async function failPull(image: string, failure: string, backoffMs: number) {
    record("Warning", "Failed", `Failed to pull image "${image}": ${failure}`);
    record("Warning", "Failed", "Error: ErrImagePull");
    become({ waiting: { reason: "ErrImagePull", message: failure } });
    // The kubelet looks at the pod again after a moment and then finds the image in back-off.
    const lookAgainMs = Math.min(2_000, backoffMs);
    await clock.sleep(lookAgainMs, halt.signal);
    if (halt.signal.aborted) return;
    record("Normal", "BackOff", `Back-off pulling image "${image}"`);
    record("Warning", "Failed", "Error: ImagePullBackOff");
    become({ waiting: { reason: "ImagePullBackOff", message: `Back-off pulling image "${image}"` } });
    await clock.sleep(backoffMs - lookAgainMs, halt.signal);
  }

  async function configure(): Promise<boolean> {
    while (!halt.signal.aborted) {
      try {
        env = environmentOf(context.pod(), container, context.sources);
        files = containerFiles(container, context.volumes(), context.pod(), () => clock.now());
        if (trouble.startDelayMs > 0) await clock.sleep(trouble.startDelayMs, halt.signal);
        return !isHalted();
      } catch (error) {
        if (!(error instanceof MissingReference)) throw error;
        record("Warning", "Failed", `Error: ${error.message}`);
        become({ waiting: { reason: "CreateContainerConfigError", message: error.message } });
        await clock.sleep(BACKOFF_FIRST_MS, halt.signal);
      }
    }
    return false;
  }

  async function runOnce(): Promise<Exit> {
    containerID = `containerd://${randomBytes(32).toString("hex")}`;
    previousLog = log ?? previousLog;
    log = createContainerLog(() => clock.now());
    record("Normal", "Created", `Created container ${container.name}`);
    const startedAt = timestampOf(clock.now());
    const startedMs = clock.monotonic();
    const played = programOf(container, trouble.program(container.name), context.programs);
    if ("error" in played) {
      record("Warning", "Failed", `Error: ${played.error}`);
      log.end();
      return terminated({ code: 128 }, { reason: "StartError", message: played.error, startedAt: null });
    }
    process = startProcess(played.program, surroundings(played.argv, log));
    record("Normal", "Started", `Started container ${container.name}`);
    const run = new AbortController();
    become({ running: { startedAt } });
    startProbes(run.signal);
    arrangeTrouble(process, run.signal);
    if (container.lifecycle?.postStart) void carryOutAction(container.lifecycle.postStart, target(), 30_000);
    const exit = await process.exited;
    run.abort();
    log.end();
    process = null;
    if (clock.monotonic() - startedMs >= BACKOFF_RESET_MS) backOffMs = 0;
    const reason = exit.oom ? "OOMKilled" : exit.code === 0 ? "Completed" : "Error";
    return terminated(exit, { reason, startedAt });
  }

  function terminated(exit: Exit, more: Pick<Terminated, "reason" | "message" | "startedAt">): Exit {
    ready = false;
    started = false;
    const said = files?.read(container.terminationMessagePath ?? "/dev/termination-log");
    const message = said?.subarray(-MESSAGE_BYTES_MAX).toString();
    become({
      terminated: {
        exitCode: exit.code,
        ...(exit.signal ? { signal: exit.signal } : {}),
        ...(message ? { message } : {}),
        ...more,
        finishedAt: timestampOf(clock.now()),
        containerID,
      },
    });
    return exit;
  }

  function surroundings(argv: readonly string[], into: ContainerLog) {
    const out = (stream: "stdout" | "stderr") => (chunk: Buffer | string) => {
      into.write(chunk);
      listeners.forEach((listener) => listener(stream, Buffer.from(chunk)));
    };
    const address = context.address();
    const expanded = argv.map((arg) =>
      arg.replace(/\$\(([A-Za-z_][A-Za-z0-9_]*)\)/g, (whole, name: string) => env[name] ?? whole),
    );
    const stdin: Input = noInput;
    return {
      argv: expanded,
      env,
      directory: container.workingDir ?? "/",
      files: filesNow(),
      clock,
      address,
      hostname: hostnameOf(context.pod()),
      ports: (container.ports ?? []).map(({ containerPort }) => containerPort),
      stdin,
      stdout: out("stdout"),
      stderr: out("stderr"),
      bind: (server: Parameters<PodContext["bind"]>[0], port: number) =>
        context.underWay(context.bind(server, address, port)),
    };
  }

  function filesNow(): FileSystem {
    if (!files) throw new Error(`container ${container.name} has no files yet`);
    return files;
  }

  const target = () => ({
    clock,
    container,
    address: context.address(),
    locate: context.locate,
    exec: (argv: readonly string[]) => runInContainer(life, context, argv),
  });

  function startProbes(signal: AbortSignal) {
    const { startupProbe, readinessProbe, livenessProbe } = container;
    const loop = (
      name: string,
      probe: NonNullable<typeof startupProbe>,
      onVerdict: (verdict: { healthy: boolean }) => void,
    ) =>
      void startProbeLoop({
        clock,
        probe,
        signal,
        attempt: (timeoutMs) => context.underWay(carryOutAction(probe, target(), timeoutMs)),
        onFailure: (message) => record("Warning", "Unhealthy", `${name} probe failed: ${message}`),
        onVerdict,
      });
    const restart = (name: string) => {
      record("Normal", "Killing", `Container ${container.name} failed ${name} probe, will be restarted`);
      void endProcess((context.pod().spec.terminationGracePeriodSeconds ?? 30) * 1_000);
    };
    const up = () => {
      started = true;
      markStarted();
      if (!readinessProbe) void holdReady(signal);
      changed();
      if (readinessProbe) loop("Readiness", readinessProbe, ({ healthy }) => void setReady(healthy, signal));
      if (livenessProbe) loop("Liveness", livenessProbe, ({ healthy }) => (healthy ? undefined : restart("liveness")));
    };
    if (!startupProbe || role.init) up();
    else loop("Startup", startupProbe, ({ healthy }) => (healthy ? (started ? undefined : up()) : restart("startup")));
  }

  async function holdReady(signal: AbortSignal) {
    if (trouble.readyDelayMs === Infinity) return;
    if (trouble.readyDelayMs > 0) await clock.sleep(trouble.readyDelayMs, signal);
    if (!signal.aborted) setReadyNow(true);
  }

  async function setReady(healthy: boolean, signal: AbortSignal) {
    if (healthy) await holdReady(signal);
    else setReadyNow(false);
  }

  function setReadyNow(value: boolean) {
    ready = value;
    changed();
  }

  function arrangeTrouble(running: Process, signal: AbortSignal) {
    const after = (ms: number, exit: Exit) =>
      void clock.sleep(ms, signal).then(() => (signal.aborted ? undefined : running.end(exit)));
    if (trouble.exit) after(trouble.exit.afterMs, { code: trouble.exit.code });
    if (trouble.oomAfterMs !== null) after(trouble.oomAfterMs, { code: 137, oom: true });
  }

  async function backOff(): Promise<boolean> {
    const waitMs = backOffMs;
    backOffMs = Math.min(backOffMs === 0 ? BACKOFF_FIRST_MS : backOffMs * 2, BACKOFF_MOST_MS);
    if (waitMs === 0) return true;
    record("Warning", "BackOff", `Back-off restarting failed container ${container.name} in pod ${about()}`);
    lastState = state.terminated ? state : lastState;
    const span =
      waitMs < 60_000 ? `${waitMs / 1_000}s` : `${Math.floor(waitMs / 60_000)}m${(waitMs % 60_000) / 1_000}s`;
    become({
      waiting: {
        reason: "CrashLoopBackOff",
        message: `back-off ${span} restarting failed container=${container.name} pod=${about()}`,
      },
    });
    await clock.sleep(waitMs, halt.signal);
    return !halt.signal.aborted;
  }

  /** Ends the process of this run: the hook, the signal, and when the time is over, the end. */
  async function endProcess(graceMs: number) {
    const running = process;
    if (!running) return;
    const deadline = clock.setTimeout(() => running.signal("SIGKILL"), graceMs);
    if (graceMs > 0 && container.lifecycle?.preStop)
      await carryOutAction(container.lifecycle.preStop, target(), graceMs);
    if (!trouble.ignoresTermination) running.signal("SIGTERM");
    await running.exited;
    deadline.cancel();
  }

  const isHalted = () => halt.signal.aborted;

  const life: ContainerLife = {
    container,
    status: () => ({
      name: container.name,
      state,
      lastState,
      ready: role.init && !before?.ready ? state.terminated?.exitCode === 0 || ready : ready,
      restartCount,
      image: container.image,
      imageID: containerID ? `sha256:${createHash("sha256").update(container.image).digest("hex")}` : "",
      ...(containerID ? { containerID } : {}),
      started,
    }),
    files: () => files,
    env: () => env,
    isRunning: () => process !== null,
    log: (previous) => (previous ? previousLog : log),
    finished: live(),
    started: startedOnce,
    attach: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: async (graceMs) => {
      if (process) record("Normal", "Killing", `Stopping container ${container.name}`);
      halt.abort();
      await endProcess(graceMs);
      await life.finished;
    },
    kill: () => {
      halt.abort();
      process?.signal("SIGKILL");
    },
  };
  return life;
}
