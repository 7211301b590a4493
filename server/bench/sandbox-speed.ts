import { fork } from "node:child_process";
import { serverConnection } from "@/server/kubernetes/connection";
import { type Bench, type BenchGroup, type Figure } from "./bench-group";
import { packedFile } from "./packed-file";
import { median, round } from "./sample";
import { type SandboxReport } from "./sandbox-report";
import { writeLoad } from "./write-load";

const STARTS = 5;
const load = { objects: 10_000, updates: 12_000, watchers: 50, concurrency: 32 };
/** A real API server has to fsync each write: fewer of them give the same rate sooner. */
const realLoad = { objects: 500, updates: 2_000, watchers: 50, concurrency: 32 };

/** The sandbox cluster: how soon it is there, how fast it writes under the eyes of many, what it holds things in. */
export const sandboxSpeed: BenchGroup = {
  key: "sandbox",
  title: "the sandbox cluster beside the real API server",
  run: async (bench) => {
    const file = await packedFile("sandbox-process");
    const starts: number[] = [];
    for (let i = 0; i < STARTS; i++) {
      const process = await startProcess(bench, file);
      starts.push(process.first.startMs);
      process.end();
    }
    const { first, ask, end } = await startProcess(bench, file);
    const connection = serverConnection({ server: first.url, token: first.token });
    const scaled = {
      ...load,
      objects: Math.ceil(load.objects / bench.scale),
      updates: Math.ceil(load.updates / bench.scale),
    };
    const sandbox = await writeLoad(connection, "default", scaled);
    const { bytes, cpuMs } = await ask();
    end();
    const real = await writeLoad(bench.connection, await bench.namespace("writes"), {
      ...realLoad,
      updates: Math.ceil(realLoad.updates / bench.scale),
    });
    const memory = (bytes - first.bytes) / sandbox.jsonBytes;
    const cpuMsPerWrite = (cpuMs - first.cpuMs) / (scaled.objects + scaled.updates);
    return figures({ startMs: median(starts), sandbox, real, memory, cpuMsPerWrite });
  },
};

type Measured = {
  startMs: number;
  memory: number;
  cpuMsPerWrite: number;
  sandbox: Awaited<ReturnType<typeof writeLoad>>;
  real: Awaited<ReturnType<typeof writeLoad>>;
};

function figures({ startMs, memory, sandbox, real, cpuMsPerWrite }: Measured): Figure[] {
  const whole = sandbox.ordered && sandbox.delivered === sandbox.expected;
  return [
    {
      key: "sandbox-start",
      what: "start of an empty sandbox",
      value: round(startMs / 1_000),
      unit: "seconds",
      goal: { atMost: 0.3 },
      detail: {},
    },
    {
      key: "sandbox-writes",
      what: "writes a second with 10,000 objects and 50 watchers",
      value: whole ? Math.round(sandbox.writesPerSecond) : 0,
      unit: "writes",
      goal: { atLeast: 3_000 },
      detail: {
        "events delivered": sandbox.delivered,
        of: sandbox.expected,
        "in order": String(sandbox.ordered),
        "CPU ms/write": round(cpuMsPerWrite, 3),
        "real API server, writes/s": Math.round(real.writesPerSecond),
        "times the real one": round(sandbox.writesPerSecond / real.writesPerSecond),
      },
    },
    {
      key: "sandbox-memory",
      what: "memory / JSON of what it holds",
      value: round(memory),
      unit: "ratio",
      goal: { atMost: 3 },
      detail: { "JSON bytes": sandbox.jsonBytes },
    },
  ];
}

async function startProcess(bench: Bench, file: string) {
  const child = fork(file, { execArgv: ["--expose-gc"], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  bench.undo(() => child.kill("SIGKILL"));
  const answer = () =>
    new Promise<SandboxReport>((resolve, reject) => {
      // The process sends nothing but reports.
      child.once("message", (message) => resolve(message as SandboxReport));
      child.once("exit", (code) => reject(new Error(`the sandbox ended with ${String(code)}`)));
    });
  const first = await answer();
  const ask = () => {
    const reported = answer();
    child.send("report");
    return reported;
  };
  return { first, ask, end: () => child.disconnect() };
}
