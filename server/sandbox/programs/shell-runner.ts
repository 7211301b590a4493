import { own } from "@/server/sandbox/json";
import { type Command, type CommandIo } from "./command";
import { createPipe, noInput } from "./pipe";
import { shellBuiltins } from "./shell-builtins";
import { expandWord, expandWords } from "./shell-expansion";
import { parseScript } from "./shell-parser";
import { redirected } from "./shell-redirects";
import { exportedOf, LoopJump, type Shell, ShellExit, subshellOf } from "./shell-state";
import { type Node, ShellSyntaxError } from "./shell-syntax";

export type ShellRunner = {
  /** A whole script, with what it leaves to do at its exit. */
  runScript: (script: string, shell: Shell, io: CommandIo) => Promise<number>;
  /** A line of one; `exit` comes out as a ShellExit. */
  guarded: (script: string, shell: Shell, io: CommandIo) => Promise<number>;
};

/** Carries out what the parser made of a script. */
export function createShellRunner(lookup: (name: string) => Command | undefined): ShellRunner {
  const builtins = shellBuiltins(lookup);

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
            { ...subshellOf(shell), pending: [], traps: new Map() },
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
        const promise = run(command, subshellOf(shell), { ...io, stdin: input, stdout: out ? out.write : io.stdout })
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
        return await run(body, subshellOf(shell), io);
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
    const builtin = own(builtins, name);
    if (builtin) return builtin(shell, args, io);
    const command = lookup(name);
    if (!command) {
      io.stderr(`sh: ${name}: not found\n`);
      return 127;
    }
    const env = exportedOf(shell, assigned);
    // Signals reach the first process of the container, not the commands that it runs.
    return command({ ...io, argv, env, directory: shell.directory, onSignal: () => undefined });
  }

  return { runScript, guarded };
}
