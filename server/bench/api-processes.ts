import { fork, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiProcessOptions, ApiProcessReport } from "./api-process";
import type { Bench } from "./bench-group";
import { packedFile } from "./packed-file";

/** A folder of its own, gone after the run. */
export function temporaryFolder(bench: Bench): string {
  const folder = mkdtempSync(join(tmpdir(), "orrery-bench-"));
  bench.undo(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The sandbox cluster as `npm run sandbox` starts it, with every controller; the path of its kubeconfig. */
export async function startSandboxCluster(bench: Bench): Promise<string> {
  const args = ["scripts/program.mjs", "sandbox", "--data", temporaryFolder(bench)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  bench.undo(() => child.kill("SIGKILL"));
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const found = /export KUBECONFIG=(\S+)/.exec(said)?.[1];
      if (found) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`the sandbox ended with ${String(code)}: ${said}`)));
  });
}

export type ApiProcess = { first: ApiProcessReport; ask: () => Promise<ApiProcessReport>; end: () => Promise<void> };

/** The worker, the API or both in a process of their own, ready to be asked. */
export async function startApiProcess(bench: Bench, options: ApiProcessOptions): Promise<ApiProcess> {
  const child = fork(await packedFile("api-process"), {
    execArgv: ["--expose-gc"],
    env: { ...process.env, ORRERY_BENCH_API: JSON.stringify(options) },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const end = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  bench.undo(end);
  const answer = () =>
    Promise.race([
      // The process sends nothing but reports.
      new Promise<ApiProcessReport>((resolve) =>
        child.once("message", (message) => resolve(message as ApiProcessReport)),
      ),
      ended.then((code): never => {
        throw new Error(`a process of the API bench ended with ${String(code)}`);
      }),
    ]);
  const first = await answer();
  const ask = () => {
    const reported = answer();
    child.send("report");
    return reported;
  };
  return { first, ask, end };
}
