import { commandNamed } from "@/server/sandbox/programs/commands";
import { noInput } from "@/server/sandbox/programs/pipe";
import { type Process, startProcess } from "@/server/sandbox/programs/process";
import { type Input, type Program } from "@/server/sandbox/programs/program";
import { type ContainerLife } from "./container-life";
import { type PodContext } from "./pod-context";
import { hostnameOf } from "./pod-environment";

export type Streams = { stdin: Input; stdout(chunk: Buffer | string): void; stderr(chunk: Buffer | string): void };

/** Starts a command beside the container's own program, as `kubectl exec` does. Null: there is no such command. */
export function execInContainer(
  life: ContainerLife,
  context: PodContext,
  argv: readonly string[],
  streams: Streams,
): Process | null {
  const command = commandNamed(argv[0] ?? "");
  const files = life.files();
  if (!command || !files) return null;
  const program: Program = (host) => command(host);
  return startProcess(program, {
    argv,
    env: life.env(),
    directory: life.container.workingDir ?? "/",
    files,
    clock: context.clock,
    address: context.address(),
    hostname: hostnameOf(context.pod()),
    ports: [],
    ...streams,
    bind: (server, port) => context.bind(server, context.address(), port),
  });
}

/** Runs a command to its end and keeps what it says; for probes and hooks. */
export async function runInContainer(
  life: ContainerLife,
  context: PodContext,
  argv: readonly string[],
): Promise<{ code: number; output: string }> {
  let output = "";
  const keep = (chunk: Buffer | string) => void (output += chunk.toString());
  const process = execInContainer(life, context, argv, { stdin: noInput, stdout: keep, stderr: keep });
  if (!process) return { code: 127, output: `exec: "${argv[0] ?? ""}": executable file not found in $PATH` };
  const { code } = await process.exited;
  return { code, output };
}
