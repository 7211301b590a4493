import { resolvePath } from "@/server/sandbox/kubelet/file-system";
import { type Command, type CommandIo } from "./command";
import { createPipe, noInput } from "./pipe";
import { createShellRunner } from "./shell-runner";
import { type Shell, ShellExit, subshellOf } from "./shell-state";

/** `sh`: runs `-c SCRIPT`, a script file, or what it reads from standard input. `lookup` finds the commands. */
export function createShell(lookup: (name: string) => Command | undefined): Command {
  const { runScript, guarded } = createShellRunner(lookup);

  async function start(io: CommandIo): Promise<number> {
    const [, ...rest] = io.argv;
    const flags = rest.filter((arg) => arg.startsWith("-"));
    const [first, ...others] = rest.filter((arg) => !arg.startsWith("-"));
    const fromFlag = flags.some((flag) => flag.includes("c"));
    const script = fromFlag
      ? (first ?? "")
      : first !== undefined
        ? io.files.read(resolvePath(io.directory, first))?.toString()
        : null;
    if (script === undefined) {
      io.stderr(`sh: can't open '${first ?? ""}': No such file or directory\n`);
      return 2;
    }
    const shell: Shell = {
      variables: new Map(Object.entries(io.env)),
      exported: new Set(Object.keys(io.env)),
      parameters: fromFlag ? others : [first ?? "sh", ...others],
      directory: io.directory,
      status: 0,
      files: io.files,
      traps: new Map(),
      pending: [],
      jobs: new Set(),
      interrupt: new Set(),
      substitute: async (text) => {
        const out = createPipe();
        await runScript(text, subshellOf(shell), { ...io, stdout: out.write });
        out.end();
        const chunks: Buffer[] = [];
        for (let chunk = await out.read(); chunk !== null; chunk = await out.read()) chunks.push(chunk);
        return Buffer.concat(chunks).toString().replace(/\n+$/, "");
      },
    };
    io.onSignal((signal) => {
      const name = signal.replace("SIG", "");
      if (!shell.traps.has(name)) return;
      shell.pending.push(name);
      shell.interrupt.forEach((wake) => wake());
    });
    return script === null ? interactive(shell, io) : runScript(script, shell, io);
  }

  async function interactive(shell: Shell, io: CommandIo): Promise<number> {
    let text = "";
    let status = 0;
    for (let chunk = await io.stdin.read(); chunk !== null; chunk = await io.stdin.read()) {
      text += chunk.toString();
      for (let line = text.indexOf("\n"); line >= 0; line = text.indexOf("\n")) {
        const command = text.slice(0, line);
        text = text.slice(line + 1);
        try {
          status = await guarded(command, shell, { ...io, stdin: noInput });
        } catch (error) {
          if (error instanceof ShellExit) return error.code;
          throw error;
        }
      }
    }
    return text.trim() === "" ? status : runScript(text, shell, io);
  }

  return start;
}
