import { type ChildProcess, fork } from "node:child_process";
import { type Bench } from "./bench-group";
import { packedFile } from "./packed-file";

/** A reconcile loop in a process of its own, as it would run in a cluster. */
export type Contestant = {
  process: ChildProcess;
  /** What it said when it was ready. */
  message: unknown;
  /** Ends it and waits until it is gone. */
  end(signal?: NodeJS.Signals): Promise<void>;
};

/** Only ends what hangs: on a busy machine a process takes its time to start. */
const READY_MS_MAX = 300_000;

/** What the program is told, in its environment. */
export type ContestantTask = { group: string; namespace: string; identity?: string };

/** Starts one of the programs in contestants/ and waits until it says that it watches. */
export async function startContestant(
  bench: Bench,
  program: string,
  task: Omit<ContestantTask, "group">,
): Promise<Contestant> {
  const { tls } = await bench.connection.credentials();
  const child = fork(await packedFile(`contestants/${program}`), {
    env: {
      ...process.env,
      BENCH_TASK: JSON.stringify({ group: bench.group, ...task }),
      // Not every library heeds a kubeconfig that asks for no verification.
      ...(tls.insecure ? { NODE_TLS_REJECT_UNAUTHORIZED: "0" } : {}),
    },
    stdio: ["ignore", "ignore", process.env.BENCH_VERBOSE ? "inherit" : "ignore", "ipc"],
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const end = async (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    await gone;
  };
  bench.undo(() => end("SIGKILL"));
  const message = await new Promise<unknown>((resolve, reject) => {
    child.once("message", resolve);
    setTimeout(() => reject(new Error(`the contestant ${program} was not ready in time`)), READY_MS_MAX).unref();
    child.once("exit", (code) => reject(new Error(`the contestant ${program} ended with ${code ?? "a signal"}`)));
  });
  return { process: child, message, end };
}

export function contestantTask(): ContestantTask {
  // A bench that was killed leaves nobody behind.
  process.once("disconnect", () => process.exit());
  // Written by startContestant above.
  return JSON.parse(process.env.BENCH_TASK ?? "{}") as ContestantTask;
}
