import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox } from "@/server/sandbox/sandbox";
import { type SandboxReport } from "./sandbox-report";

// As people run it: with its log, its controllers and its kubelet. Nobody may import this file for anything else.
const dataDir = mkdtempSync(join(tmpdir(), "orrery-bench-"));
process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
const started = performance.now();
const sandbox = await createSandbox({ dataDir });
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
