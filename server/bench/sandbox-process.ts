import { createSandbox } from "@/server/sandbox/sandbox";

/** A sandbox in a process of its own: says how long it took to start, and how much it holds whenever it is asked. */
export type SandboxReport = { url: string; token: string; startMs: number; bytes: number; cpuMs: number };

const started = performance.now();
const sandbox = await createSandbox({ controllers: false });
report(performance.now() - started);
process.on("message", () => report(0));
process.once("disconnect", () => process.exit());

function report(startMs: number) {
  // Given with --expose-gc, so that only what is held is counted.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const message: SandboxReport = {
    url: sandbox.url,
    token: sandbox.adminToken,
    startMs,
    bytes: heapUsed + external,
    cpuMs: (user + system) / 1_000,
  };
  process.send?.(message);
}
