import { resolvePath } from "@/server/sandbox/kubelet/file-system";
import { type Command, type CommandIo } from "./command";
import { exportedOf, LoopJump, type Shell, ShellExit } from "./shell-state";

type Builtin = (shell: Shell, args: readonly string[], io: CommandIo) => Promise<number> | number;

/** What a shell does itself, since it is about the shell. */
export function shellBuiltins(lookup: (name: string) => Command | undefined): Readonly<Record<string, Builtin>> {
  return { ...builtins, exec: execWith(lookup) };
}

const builtins: Readonly<Record<string, Builtin>> = {
  ":": () => 0,
  exit: (shell, [code]) => {
    throw new ShellExit(code === undefined ? shell.status : Number(code) & 255);
  },
  cd: (shell, [path = "/"], io) => {
    const target = resolvePath(shell.directory, path);
    if (shell.files.stat(target)?.type === "directory") {
      shell.directory = target;
      return 0;
    }
    io.stderr(`sh: cd: can't cd to ${path}: No such file or directory\n`);
    return 2;
  },
  export: (shell, args) => {
    for (const arg of args) {
      const [key = "", ...value] = arg.split("=");
      if (arg.includes("=")) shell.variables.set(key, value.join("="));
      shell.exported.add(key);
    }
    return 0;
  },
  unset: (shell, names) => {
    names.forEach((name) => shell.variables.delete(name));
    return 0;
  },
  set: () => 0,
  break: () => {
    throw new LoopJump(false);
  },
  continue: () => {
    throw new LoopJump(true);
  },
  trap: (shell, args) => {
    const [script = "", ...signals] = args;
    for (const signal of signals) {
      const name = signal === "0" ? "EXIT" : signal.replace(/^SIG/, "").replace(/^15$/, "TERM");
      if (script === "-") shell.traps.delete(name);
      else shell.traps.set(name, script);
    }
    return 0;
  },
  wait: async (shell, _args, io) => {
    const interrupted = new Promise<void>((resolve) => {
      shell.interrupt.add(resolve);
      io.over.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([Promise.all(shell.jobs), interrupted]);
    return 0;
  },
  read: async (shell, [name = "REPLY"], io) => {
    const chunk = await io.stdin.read();
    shell.variables.set(name, chunk?.toString().replace(/\n$/, "") ?? "");
    return chunk ? 0 : 1;
  },
};

/** The command takes the place of the shell. */
function execWith(lookup: (name: string) => Command | undefined): Builtin {
  return async (shell, argv, io) => {
    const [name] = argv;
    if (name === undefined) return 0;
    const command = lookup(name);
    if (!command) throw new ShellExit(127);
    throw new ShellExit(await command({ ...io, argv, env: exportedOf(shell), directory: shell.directory }));
  };
}
