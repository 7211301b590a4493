import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser } from "playwright";

export type Dashboard = { url: string; browser: Browser; stop: () => Promise<void> };

/** The whole product with its sandbox and demo fleet, in a folder and on a port of its own, and a browser. */
export async function openDashboard(): Promise<Dashboard> {
  const data = await mkdtemp(join(tmpdir(), "orrery-e2e-"));
  const server = spawn(process.execPath, ["--import", "tsx", "server/main.ts", "all"], {
    env: { ...process.env, ORRERY_DATA: data, ORRERY_PORT: "0", ORRERY_CLUSTER: "sandbox" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await addressOf(server);
  const browser = await chromium.launch({
    ...(browserPath() && { executablePath: browserPath() }),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  return {
    url,
    browser,
    stop: async () => {
      await browser.close();
      await ended(server);
      await rm(data, { recursive: true, force: true });
    },
  };
}

function browserPath(): string | undefined {
  const known = [process.env["ORRERY_CHROMIUM"], "/usr/bin/chromium", "/usr/bin/google-chrome"];
  return known.find((path) => path !== undefined && existsSync(path));
}

function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      const found = /Orrery is at (http:\/\/\S+)/.exec(said);
      if (found?.[1]) resolve(found[1]);
    };
    server.stdout?.on("data", hear);
    server.stderr?.on("data", hear);
    server.once("exit", (code) => reject(new Error(`Orrery ended with ${code ?? "a signal"}:\n${said.slice(-4_000)}`)));
  });
}

function ended(server: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    server.removeAllListeners("exit");
    server.once("exit", () => resolve());
    server.kill("SIGTERM");
  });
}
