import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright";
import type { Figure } from "./bench-group";
import { dashboardFigure } from "./dashboard-figure";
import { percentile, round } from "./sample";

export const LIST = "/firebolt/engine?sort=name";

/** Every script that a page loads until it is loaded, gzipped; in the detail, with what it fetches when it has time. */
export async function scripts(browser: Browser, url: string, resource: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [key, path] of [
    ["overview", "/"],
    ["list", LIST],
    ["resource", resource],
    ["machine", "/machines/firebolt.engine.phase"],
  ] as const) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const sizes: Promise<number>[] = [];
    page.on("response", (response) => {
      if (response.request().resourceType() !== "script") return;
      // What comes after the page was left is no part of it.
      sizes.push(
        response.body().then(
          (body) => gzipSync(body).length,
          () => 0,
        ),
      );
    });
    await page.goto(`${url}${path}`, { waitUntil: "load" });
    const files = sizes.length;
    await page.getByRole("navigation", { name: "Pages" }).getByText("live", { exact: true }).waitFor();
    await page.waitForFunction(() => !document.querySelector(".flow") || document.querySelector(".flow .state"));
    const all = await Promise.all(sizes);
    const kilobytes = (from: readonly number[]) => from.reduce((sum, size) => sum + size, 0) / 1_024;
    const detail = { files, laterKb: round(kilobytes(all.slice(files)), 1) };
    const what = `scripts on first load of the ${key}, gzipped`;
    figures.push(dashboardFigure(`scripts-${key}`, what, kilobytes(all.slice(0, files)), "KB", 200, detail));
    await context.close();
  }
  return figures;
}

/**
 * From the first byte of the page, which has its data in it, until the frame that has the diagram in it is done, in a browser
 * that is warm. Not from the last byte: a page that is painted while it comes would take less than no time. The detail tells
 * what a page of one word takes in the same browser, which no diagram can undercut.
 */
export async function diagramPaint(browser: Browser, url: string, resource: string): Promise<Figure[]> {
  const bare = await bareServer();
  const bareTimes = await paintTimes(browser, url, bare.url);
  bare.stop();
  const bareMs = percentile(bareTimes, 0.5);
  const figures: Figure[] = [];
  for (const [key, path] of [
    ["machine", "/machines/firebolt.engine.phase"],
    ["resource", resource],
  ] as const) {
    const times = await paintTimes(browser, url, `${url}${path}`);
    const detail = { barePageMs: round(bareMs, 0), worstMs: round(Math.max(...times), 0) };
    const what = `data → first paint of the diagram of a ${key}, median`;
    figures.push(dashboardFigure(`diagram-paint-${key}`, what, percentile(times, 0.5), "ms", 100, detail));
  }
  return figures;
}

const VISITS = 9;

async function paintTimes(browser: Browser, url: string, target: string): Promise<number[]> {
  const times: number[] = [];
  for (let visits = 0; visits < VISITS; visits++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
    const page = await context.newPage();
    // A renderer's first page pays for its start and its fonts; whoever comes to a diagram has seen another page.
    await page.goto(`${url}/about`);
    // At rest: what that page still had to do is no part of the next one.
    await page.getByRole("navigation", { name: "Pages" }).getByText("live", { exact: true }).waitFor();
    await page.waitForTimeout(500);
    await page.addInitScript({ content: noteDiagram });
    await page.goto(target);
    await page.waitForFunction(() => "diagramAt" in window);
    times.push(
      await page.evaluate(() => {
        const [loaded] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
        const { diagramAt } = window as unknown as { diagramAt: number };
        return diagramAt - (loaded?.responseStart ?? 0);
      }),
    );
    await context.close();
  }
  return times;
}

/** One word where a diagram would be. */
async function bareServer(): Promise<{ url: string; stop(): void }> {
  const server = createServer((_, response) => {
    response
      .setHeader("content-type", "text/html")
      .end('<!doctype html><div class="flow"><p class="state">one</p></div>');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, stop: () => void server.close() };
}

/**
 * In the page: when the frame after the first with a diagram begins to be made, by the clock and not by the time that the
 * frame was due, which a busy page lets pass. As text: it is not compiled on its way.
 */
const noteDiagram = `
  requestAnimationFrame(function look() {
    if (!document.querySelector(".flow .node, .flow .state")) requestAnimationFrame(look);
    else requestAnimationFrame(() => Object.assign(window, { diagramAt: performance.now() }));
  });
`;
