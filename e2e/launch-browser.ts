import { existsSync } from "node:fs";
import { chromium } from "playwright";

const systemPaths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser that was named, Playwright's own, or the system's. */
export function launchBrowser() {
  const known = [process.env["ORRERY_CHROMIUM"], chromium.executablePath(), ...systemPaths];
  const executablePath = known.find((path) => path !== undefined && existsSync(path));
  return chromium.launch({ ...(executablePath && { executablePath }), args: ["--no-sandbox", "--disable-gpu"] });
}
