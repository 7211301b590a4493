import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { until } from "@/server/testing/until";

export type OrreryProcess = {
  child: ChildProcess;
  /** What it has said so far, on both outputs. */
  said(): string;
  /** Resolves with what the expression found in its output; throws when the process ends before. */
  says(what: RegExp): Promise<RegExpExecArray>;
  ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

/**
 * The program as a process of its own, packed as `npm run worker` and `npm run sandbox` run it. With pages, or with
 * options for Node, it runs from its sources: pages are built, and tried, by the browser's stories.
 */
export function startOrrery(
  command: "all" | "web" | "worker" | "sandbox",
  args: readonly string[],
  options: { env?: Record<string, string>; node?: readonly string[] } = {},
): OrreryProcess {
  const isPacked = (command === "worker" || command === "sandbox") && !options.node;
  const program = isPacked ? ["scripts/program.mjs"] : ["--import", "tsx", ...(options.node ?? []), "server/main.ts"];
  const child = spawn(process.execPath, [...program, command, ...args], {
    env: { ...withoutOptions(process.env), ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk: Buffer) => (said += chunk.toString()));
  // From the start: a process may be over before anybody asks.
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    child,
    said: () => said,
    says: (what) =>
      until(`it says ${String(what)}; it said:\n${said}`, () => {
        const found = what.exec(said);
        if (!found && child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${said}`);
        return found;
      }),
    ended: async () => {
      const [code, signal] = await closed;
      return { code, signal };
    },
  };
}

/** Options of whoever runs the tests are not theirs. */
function withoutOptions(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^(ORRERY_|FELDERA_|DATABASE_URL$|KUBECONFIG$|VITEST|NODE_ENV$)/.test(name),
    ),
  ) as NodeJS.ProcessEnv;
}
