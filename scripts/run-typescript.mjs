import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./prepare.mjs";

/** Runs a TypeScript file in a child that gets our signals, and ends as it ends. */
export function runTypeScript(file, args) {
  const child = spawn(process.execPath, ["--import", "tsx", join(root, file), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  // Ctrl-C reaches the whole group by itself; a signal sent to us alone does not.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("close", (code, signal) => process.exit(code ?? (signal === "SIGINT" || signal === "SIGTERM" ? 0 : 1)));
}
