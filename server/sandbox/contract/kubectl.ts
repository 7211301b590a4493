import { execFile, spawn, spawnSync } from "node:child_process";
import { systemClock } from "@/server/kubernetes/clock";

const found = spawnSync("kubectl", ["version", "--client", "-o", "json"], { encoding: "utf8" });

/** Why nothing can be tried with kubectl on this machine; empty when it can. */
export const withoutKubectl = found.status === 0 ? "" : " (skipped: there is no kubectl on this machine)";

/** Of kubectl's version: 20 for 1.20, which has not yet learned every word. */
export const kubectlMinor = Number(/"minor": "(?<minor>\d+)/.exec(found.stdout)?.groups?.["minor"] ?? 0);

type Outcome = { code: number; output: string };

export type Kubectl = {
  /** What it prints; an exit code other than 0 is an error. */
  run: (...args: string[]) => Promise<string>;
  runAnyway: (...args: string[]) => Promise<Outcome>;
  /** Something that does not end by itself: all that it has said so far, what it is told, and its end. */
  follow: (...args: string[]) => { said: () => string; tell: (text: string) => void; stop: () => Promise<void> };
};

export function createKubectl(environment: () => NodeJS.ProcessEnv): Kubectl {
  const runAnyway = (...args: string[]) =>
    new Promise<Outcome>((resolve) => {
      const options = { env: environment(), encoding: "utf8" as const, maxBuffer: 1 << 26 };
      execFile("kubectl", args, options, (error, stdout, stderr) => {
        const code = error ? (typeof error.code === "number" ? error.code : 1) : 0;
        resolve({ code, output: `${stdout}${code === 0 ? "" : stderr}`.trim() });
      });
    });
  return {
    runAnyway,
    async run(...args) {
      const { code, output } = await runAnyway(...args);
      if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}: ${output}`);
      return output;
    },
    follow(...args) {
      const child = spawn("kubectl", args, { env: environment() });
      const ended = new Promise((resolve) => child.on("close", resolve));
      let said = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
      return {
        said: () => said,
        tell: (text) => void child.stdin.write(text),
        stop: async () => {
          child.kill();
          await ended;
        },
      };
    },
  };
}

/** The limit is far beyond what a busy machine needs; it only ends what never happens. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  seen: () => string = () => "",
): Promise<void> {
  const deadline = systemClock.monotonic() + 120_000;
  while (!(await holds())) {
    if (systemClock.monotonic() > deadline) throw new Error(`${what} did not come ${seen()}`);
    await systemClock.sleep(50);
  }
}
