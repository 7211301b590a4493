import { type Command, type CommandIo } from "./command";
import { createPipe, noInput } from "./pipe";
import { resolvePath } from "@/server/sandbox/kubelet/file-system";
import { expandWord, expandWords, type Scope } from "./shell-expansion";
import { parseScript } from "./shell-parser";
import { redirected } from "./shell-redirects";
import { type Node, ShellSyntaxError } from "./shell-syntax";

class ShellExit extends Error {
  readonly code: number;
  constructor(code: number) {
    super("exit");
    this.code = code;
  }
}
class LoopJump extends Error {
  readonly again: boolean;
  constructor(again: boolean) {
    super("jump");
    this.again = again;
  }
}

type Shell = Scope & {
  traps: Map<string, string>;
  pending: string[];
  jobs: Set<Promise<number>>;
  interrupt: Set<() => void>;
};
type Builtin = (shell: Shell, args: readonly string[], io: CommandIo) => Promise<number> | number;

/** `sh`: runs `-c SCRIPT`, a script file, or what it reads from standard input. `lookup` finds the commands. */
export function createShell(lookup: (name: string) => Command | undefined): Command {
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
        await runScript(text, { ...shell, variables: new Map(shell.variables) }, { ...io, stdout: out.write });
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

  async function runScript(script: string, shell: Shell, io: CommandIo): Promise<number> {
    let code: number;
    try {
      code = await guarded(script, shell, io);
    } catch (error) {
      if (!(error instanceof ShellExit)) throw error;
      code = error.code;
    }
    const atExit = shell.traps.get("EXIT");
    if (atExit !== undefined && !io.over.aborted) {
      shell.traps.delete("EXIT");
      return (await runScript(atExit, shell, io)) && code;
    }
    return code;
  }

  async function guarded(script: string, shell: Shell, io: CommandIo): Promise<number> {
    try {
      return await run(parseScript(script), shell, io);
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      io.stderr(`sh: ${error.message}\n`);
      return 2;
    }
  }

  async function run(node: Node, shell: Shell, io: CommandIo): Promise<number> {
    if (io.over.aborted) throw new ShellExit(137);
    // Each kind of node has its own function; the key makes the table complete.
    const status = await (runners[node.type] as (node: Node, shell: Shell, io: CommandIo) => Promise<number>)(
      node,
      shell,
      io,
    );
    shell.status = status;
    for (let signal = shell.pending.shift(); signal !== undefined; signal = shell.pending.shift()) {
      await guarded(shell.traps.get(signal) ?? "", shell, io);
    }
    return status;
  }

  const runners: {
    [T in Node["type"]]: (node: Extract<Node, { type: T }>, shell: Shell, io: CommandIo) => Promise<number>;
  } = {
    list: async ({ items }, shell, io) => {
      let status = 0;
      for (const { node, background } of items) {
        if (!background) status = await run(node, shell, io);
        else {
          const job = run(
            node,
            { ...shell, variables: new Map(shell.variables), pending: [], traps: new Map() },
            { ...io, stdin: noInput },
          ).catch(() => 1);
          shell.jobs.add(job);
          void job.finally(() => shell.jobs.delete(job));
        }
      }
      return status;
    },
    chain: async ({ operator, left, right }, shell, io) => {
      const status = await run(left, shell, io);
      return (status === 0) === (operator === "&&") ? run(right, shell, io) : status;
    },
    pipe: async ({ commands, negate }, shell, io) => {
      let input = io.stdin;
      const running = commands.map((command, index) => {
        const out = index === commands.length - 1 ? null : createPipe();
        const own = { ...shell, variables: new Map(shell.variables) };
        const promise = run(command, own, { ...io, stdin: input, stdout: out ? out.write : io.stdout })
          .catch((error: unknown) => {
            if (error instanceof ShellExit) return error.code;
            throw error;
          })
          .finally(() => out?.end());
        input = out ?? input;
        return promise;
      });
      const status = (await Promise.all(running)).at(-1) ?? 0;
      return negate ? Number(status === 0) : status;
    },
    loop: async ({ until, test, body, redirects }, shell, outer) => {
      const io = await redirected(redirects, shell, outer);
      let status = 0;
      while (((await run(test, shell, io)) === 0) !== until) {
        // A loop of built-ins alone must not keep the process from hearing anything else.
        await new Promise((resolve) => setImmediate(resolve));
        try {
          status = await run(body, shell, io);
        } catch (error) {
          if (!(error instanceof LoopJump)) throw error;
          if (!error.again) break;
        }
      }
      return status;
    },
    for: async ({ name, words, body }, shell, io) => {
      let status = 0;
      for (const value of await expandWords(words, shell)) {
        shell.variables.set(name, value);
        try {
          status = await run(body, shell, io);
        } catch (error) {
          if (!(error instanceof LoopJump)) throw error;
          if (!error.again) break;
        }
      }
      return status;
    },
    if: async ({ branches, otherwise }, shell, io) => {
      for (const { test, body } of branches) {
        if ((await run(test, shell, io)) === 0) return run(body, shell, io);
      }
      return otherwise ? run(otherwise, shell, io) : 0;
    },
    group: async ({ subshell, body, redirects }, shell, outer) => {
      const io = await redirected(redirects, shell, outer);
      if (!subshell) return run(body, shell, io);
      try {
        return await run(body, { ...shell, variables: new Map(shell.variables) }, io);
      } catch (error) {
        if (error instanceof ShellExit) return error.code;
        throw error;
      }
    },
    simple: runSimple,
  };

  async function runSimple(node: Extract<Node, { type: "simple" }>, shell: Shell, outer: CommandIo): Promise<number> {
    const argv = await expandWords(node.words, shell);
    const assigned: [string, string][] = [];
    for (const { name, value } of node.assignments) assigned.push([name, await expandWord(value, shell)]);
    const [name, ...args] = argv;
    if (name === undefined) {
      assigned.forEach(([key, value]) => shell.variables.set(key, value));
      await redirected(node.redirects, shell, outer);
      return 0;
    }
    let io: CommandIo;
    try {
      io = await redirected(node.redirects, shell, outer);
    } catch (error) {
      outer.stderr(`sh: ${error instanceof Error ? error.message : String(error)}\n`);
      return 1;
    }
    const builtin = builtins[name];
    if (builtin) return builtin(shell, args, io);
    const command = lookup(name);
    if (!command) {
      io.stderr(`sh: ${name}: not found\n`);
      return 127;
    }
    const env = Object.fromEntries([...shell.variables].filter(([key]) => shell.exported.has(key)).concat(assigned));
    // Signals reach the first process of the container, not the commands that it runs.
    return command({ ...io, argv, env, directory: shell.directory, onSignal: () => undefined });
  }

  const builtins: Record<string, Builtin> = {
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
    exec: async (shell, argv, io) => {
      const [name] = argv;
      if (name === undefined) return 0;
      const command = lookup(name);
      if (!command) throw new ShellExit(127);
      const env = Object.fromEntries([...shell.variables].filter(([key]) => shell.exported.has(key)));
      throw new ShellExit(await command({ ...io, argv, env, directory: shell.directory }));
    },
    read: async (shell, [name = "REPLY"], io) => {
      const chunk = await io.stdin.read();
      shell.variables.set(name, chunk?.toString().replace(/\n$/, "") ?? "");
      return chunk ? 0 : 1;
    },
  };
  return start;
}
