import { existsSync } from "node:fs";
import { run } from "./prepare.mjs";

const systemPaths = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** A browser for the tests: the one named, Playwright's own, the system's, or, on Debian as root, a freshly installed one. */
export async function chromium() {
  const found = await foundChromium();
  if (found) return { path: found };
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log("  … install chromium from Debian's packages");
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    await run("apt-get", ["update", "-qq"], { env, stdio: "ignore" });
    await run("apt-get", ["install", "-y", "-qq", "chromium"], { env, stdio: "ignore" });
    if (existsSync(systemPaths[0])) return { path: systemPaths[0] };
  }
  return {
    missing: "No Chromium was found for the browser tests: install one, or name it with ORRERY_CHROMIUM=<path>.",
  };
}

async function foundChromium() {
  const named = process.env.ORRERY_CHROMIUM;
  if (named) return existsSync(named) ? named : null;
  const { chromium: playwright } = await import("playwright");
  return [playwright.executablePath(), ...systemPaths].find((path) => path && existsSync(path)) ?? null;
}
