import { own } from "@/server/sandbox/json";
import { commandNamed } from "@/server/sandbox/programs/commands";
import { listeningProgram } from "@/server/sandbox/programs/listening-program";
import { nodePrograms } from "@/server/sandbox/programs/node-programs";
import { type Program } from "@/server/sandbox/programs/program";
import { type Container } from "@/server/sandbox/objects/pod";

export type ProgramTable = Readonly<Record<string, Program>>;

/** Which program plays a container, or why the container cannot start. */
export type Played = { program: Program; argv: string[] } | { error: string };

/** Images that hold nothing but a shell and its commands, so that an unknown command is a mistake. */
const plainImage = /(^|\/)(busybox|alpine|node)(:|@|$)/;

/** Image names → the program they play when nothing else is said. */
const byImage: readonly { image: RegExp; program: string }[] = [
  { image: /(^|\/)(firebolt[-/]?)?engine(:|@|$)|firebolt-core/, program: "engine" },
];

export function programOf(container: Container, named: string | null, extra: ProgramTable): Played {
  const argv = [...(container.command ?? []), ...(container.args ?? [])];
  const byName = (name: string): Program | undefined =>
    own(extra, name) ?? own(nodePrograms, name) ?? own({ listen: listeningProgram }, name);
  if (named !== null) {
    const program = byName(named);
    return program
      ? { program, argv }
      : { error: `the annotation names the program "${named}", which the sandbox does not have` };
  }
  const [command] = argv;
  const shellCommand = command === undefined ? undefined : commandNamed(command);
  if (shellCommand && container.command) return { program: shellCommand, argv };
  if (plainImage.test(container.image)) {
    if (command === undefined) return { program: commandNamed("sh") ?? listeningProgram, argv: ["sh"] };
    if (shellCommand) return { program: shellCommand, argv };
    return {
      error: `failed to create containerd task: failed to create shim task: OCI runtime create failed: exec: "${command}": executable file not found in $PATH: unknown`,
    };
  }
  const image = byImage.find((row) => row.image.test(container.image));
  return { program: (image && byName(image.program)) ?? listeningProgram, argv };
}
