import { type Process, startProcess } from "@/server/sandbox/programs/process";
import { type Exit, type Input, type Program } from "@/server/sandbox/programs/program";
import { type ContainerContext } from "./container-context";
import { type ContainerSettings } from "./container-settings";
import { hostnameOf } from "./pod-environment";
import { type ActionTarget, carryOutAction } from "./probe";

type Played = { program: Program; argv: readonly string[] };
export type Write = (stream: "stdout" | "stderr", chunk: Buffer | string) => void;

/** Starts the container's own program. */
export function startContainerProcess(
  { pod, container }: ContainerContext,
  { program, argv }: Played,
  { env, files }: ContainerSettings,
  { write, stdin }: { write: Write; stdin: Input },
): Process {
  const address = pod.address();
  return startProcess(program, {
    argv: argv.map((arg) =>
      arg.replace(/\$\(([A-Za-z_][A-Za-z0-9_]*)\)/g, (whole, name: string) => env[name] ?? whole),
    ),
    env,
    directory: container.workingDir ?? "/",
    files,
    clock: pod.clock,
    address,
    hostname: hostnameOf(pod.pod()),
    ports: (container.ports ?? []).map(({ containerPort }) => containerPort),
    stdin,
    stdout: (chunk) => write("stdout", chunk),
    stderr: (chunk) => write("stderr", chunk),
    bind: (server, port) => pod.underWay(pod.bind(server, address, port)),
  });
}

/** Ends a run: the hook, the signal, and when the time is over, the end. */
export async function endContainerProcess(
  { pod, container }: ContainerContext,
  running: Process,
  target: ActionTarget,
  graceMs: number,
) {
  const deadline = pod.clock.setTimeout(() => running.signal("SIGKILL"), graceMs);
  if (graceMs > 0 && container.lifecycle?.preStop) await carryOutAction(container.lifecycle.preStop, target, graceMs);
  if (!pod.trouble.ignoresTermination) running.signal("SIGTERM");
  await running.exited;
  deadline.cancel();
}

/** The ends that a run was told to come to. */
export function arrangeTrouble({ pod, role }: ContainerContext, running: Process, signal: AbortSignal) {
  // It is the pod's trouble, which somebody may have come to look at.
  if (role.list === "ephemeralContainers") return;
  const { clock, trouble } = pod;
  const after = (ms: number, exit: Exit) =>
    void clock.sleep(ms, signal).then(() => (signal.aborted ? undefined : running.end(exit)));
  if (trouble.exit) after(trouble.exit.afterMs, { code: trouble.exit.code });
  if (trouble.oomAfterMs !== null) after(trouble.oomAfterMs, { code: 137, oom: true });
}
