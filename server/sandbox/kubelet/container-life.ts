import { createHash, randomBytes } from "node:crypto";
import { timestampOf } from "@/server/sandbox/objects/meta";
import { type Container, type ContainerState, type ContainerStatus } from "@/server/sandbox/objects/pod";
import { createPipe, noInput, type Pipe } from "@/server/sandbox/programs/pipe";
import { type Process } from "@/server/sandbox/programs/process";
import { type Exit } from "@/server/sandbox/programs/program";
import { backOffText, nextBackOffMs } from "./back-off";
import { type ContainerContext, type Role } from "./container-context";
import { obtainImage } from "./container-image";
import { type ContainerLog, createContainerLog } from "./container-log";
import { startProbes } from "./container-probes";
import { arrangeTrouble, endContainerProcess, startContainerProcess, type Write } from "./container-process";
import { type ContainerSettings, obtainSettings } from "./container-settings";
import { type FileSystem } from "./file-system";
import { type PodContext } from "./pod-context";
import { type ActionTarget, carryOutAction } from "./probe";
import { programOf } from "./programs-of";
import { runInContainer } from "./run-in-container";
import { terminatedState } from "./terminated-state";

type Listener = (stream: "stdout" | "stderr", chunk: Buffer) => void;

export type ContainerLife = {
  container: Container;
  status(): ContainerStatus;
  files(): FileSystem | null;
  env(): Readonly<Record<string, string>>;
  isRunning(): boolean;
  log(previous: boolean): ContainerLog | null;
  /** What its program reads, if it was made to read anything. */
  stdin(): Pipe | null;
  /** Resolves when it will not run again. */
  finished: Promise<Exit>;
  started: Promise<void>;
  /** What a terminal that is attached to it sees and sends. */
  attach(listener: Listener): () => void;
  /** Asks it to end, and makes it end when the time is over. */
  /** Records that it is being stopped, if it runs. */
  tellStop(): void;
  stop(graceMs: number): Promise<void>;
  /** Ends at once, as a node that loses power. */
  kill(): void;
};

/** After so long a run a crash counts as the first one again. */
const BACK_OFF_RESET_MS = 600_000;
const POST_START_MS = 30_000;

/** Plays one container of a pod from its image to its last exit. */
export function startContainer(
  pod: PodContext,
  container: Container,
  role: Role,
  before?: ContainerStatus,
): ContainerLife {
  const { clock, trouble, changed } = pod;
  const halt = new AbortController();
  const listeners = new Set<Listener>();
  let state: ContainerState = {
    waiting: { reason: role.list !== "containers" || !pod.hasInit ? "ContainerCreating" : "PodInitializing" },
  };
  let lastState: ContainerState = before?.lastState ?? {};
  let restartCount = before?.restartCount ?? 0;
  let ready = false;
  let started = false;
  let containerID: string | undefined;
  let process: Process | null = null;
  let stdin: Pipe | null = null;
  let settings: ContainerSettings | null = null;
  let log: ContainerLog | null = null;
  let previousLog: ContainerLog | null = null;
  let backOffMs = 0;
  let markStarted: () => void = () => undefined;
  const startedOnce = new Promise<void>((resolve) => (markStarted = resolve));
  const fieldPath = `spec.${role.list}{${container.name}}`;
  const context: ContainerContext = {
    pod,
    container,
    role,
    halt: halt.signal,
    record: (type, reason, message) => pod.record(pod.pod(), type, reason, message, fieldPath),
    become(next) {
      state = next;
      changed();
    },
  };
  const { record, become } = context;

  async function live(): Promise<Exit> {
    for (;;) {
      if (!(await obtainImage(context))) return { code: 137 };
      settings = (await obtainSettings(context)) ?? settings;
      if (trouble.startDelayMs > 0) await clock.sleep(trouble.startDelayMs, halt.signal);
      if (halt.signal.aborted || !settings) return { code: 137 };
      const exit = await runOnce(settings);
      if (isHalted() || !role.restarts(exit)) return exit;
      if (!(await backOff())) return exit;
      lastState = state.terminated ? state : lastState;
      restartCount += 1;
    }
  }

  async function runOnce(given: ContainerSettings): Promise<Exit> {
    containerID = `containerd://${randomBytes(32).toString("hex")}`;
    previousLog = log ?? previousLog;
    const into = (log = createContainerLog(() => clock.now()));
    record("Normal", "Created", `Created container ${container.name}`);
    const startedAt = timestampOf(clock.now());
    const startedMs = clock.monotonic();
    const played = programOf(container, trouble.program(container.name), pod.programs);
    if ("error" in played) {
      record("Warning", "Failed", `Error: ${played.error}`);
      into.end();
      return terminated({ code: 128 }, { reason: "StartError", message: played.error, startedAt: null });
    }
    const write: Write = (stream, chunk) => {
      into.write(chunk);
      listeners.forEach((listener) => listener(stream, Buffer.from(chunk)));
    };
    stdin = container.stdin ? createPipe() : null;
    const running = (process = startContainerProcess(context, played, given, { write, stdin: stdin ?? noInput }));
    record("Normal", "Started", `Started container ${container.name}`);
    const run = new AbortController();
    become({ running: { startedAt } });
    lookAfter(run.signal);
    arrangeTrouble(context, running, run.signal);
    if (container.lifecycle?.postStart) void carryOutAction(container.lifecycle.postStart, target(), POST_START_MS);
    const exit = await running.exited;
    run.abort();
    into.end();
    process = null;
    stdin?.end();
    if (clock.monotonic() - startedMs >= BACK_OFF_RESET_MS) backOffMs = 0;
    const reason = exit.oom ? "OOMKilled" : exit.code === 0 ? "Completed" : "Error";
    return terminated(exit, { reason, startedAt });
  }

  function terminated(exit: Exit, why: Parameters<typeof terminatedState>[2]): Exit {
    ready = false;
    started = false;
    become(terminatedState(context, exit, why, { files: settings?.files ?? null, containerID }));
    return exit;
  }

  function lookAfter(signal: AbortSignal) {
    startProbes(context, {
      signal,
      target,
      onUp() {
        started = true;
        markStarted();
      },
      onReady(value) {
        ready = value;
        changed();
      },
      onFailed: () => void endProcess((pod.pod().spec.terminationGracePeriodSeconds ?? 30) * 1_000),
    });
  }

  async function endProcess(graceMs: number) {
    if (process) await endContainerProcess(context, process, target(), graceMs);
  }

  /** How probes and hooks reach this container. */
  function target(): ActionTarget {
    const exec = (argv: readonly string[]) => runInContainer(life, pod, argv);
    return { clock, container, address: pod.address(), locate: pod.locate, exec };
  }

  async function backOff(): Promise<boolean> {
    const waitMs = backOffMs;
    backOffMs = nextBackOffMs(backOffMs);
    if (waitMs === 0) return true;
    const { name, namespace = "", uid } = pod.pod().metadata;
    const about = `${name}_${namespace}(${uid})`;
    record("Warning", "BackOff", `Back-off restarting failed container ${container.name} in pod ${about}`);
    lastState = state.terminated ? state : lastState;
    const message = `back-off ${backOffText(waitMs)} restarting failed container=${container.name} pod=${about}`;
    become({ waiting: { reason: "CrashLoopBackOff", message } });
    await clock.sleep(waitMs, halt.signal);
    return !halt.signal.aborted;
  }

  const isHalted = () => halt.signal.aborted;

  function tellStop() {
    if (process) record("Normal", "Killing", `Stopping container ${container.name}`);
  }

  const life: ContainerLife = {
    container,
    status: () => ({
      name: container.name,
      state,
      lastState,
      ready: role.list === "initContainers" && !before?.ready ? state.terminated?.exitCode === 0 || ready : ready,
      restartCount,
      image: container.image,
      imageID: containerID ? `sha256:${createHash("sha256").update(container.image).digest("hex")}` : "",
      ...(containerID ? { containerID } : {}),
      started,
    }),
    files: () => settings?.files ?? null,
    env: () => settings?.env ?? {},
    isRunning: () => process !== null,
    log: (previous) => (previous ? previousLog : log),
    stdin: () => stdin,
    finished: live(),
    started: startedOnce,
    attach: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tellStop,
    stop: async (graceMs) => {
      tellStop();
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
