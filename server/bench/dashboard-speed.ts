import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright";
import { launchBrowser } from "@/e2e/launch-browser";
import type { Database } from "@/server/db/database";
import { startPostgres } from "@/server/db/fixtures/postgres-server";
import { openDatabase } from "@/server/db/open-database";
import type { Bench, BenchGroup, Figure } from "./bench-group";
import { changeRows, seedEngines } from "./engine-rows";
import { percentile, round } from "./sample";
import { startWebProcess } from "./web-process";

const FLEET = 10_000;
const LARGE_FLEET = 100_000;
const ROUNDS = 20;
const CHANGING = 1_000;
const LIST = "/firebolt/engine?sort=name";

/** The pages in a real browser, over a server and a database of their own that hold a whole fleet. */
export const dashboardSpeed: BenchGroup = {
  key: "dashboard",
  title: "pages in a browser over 10,000 and 100,000 resources",
  run: async (bench) => {
    const server = await startPostgres();
    bench.undo(() => server.stop());
    const browser = await launchBrowser();
    bench.undo(() => browser.close());
    const usual = await openFleet(bench, await server.createDatabase(), Math.ceil(FLEET / bench.scale));
    const small = await list(browser, usual.url);
    const figures = [
      ...(await scripts(browser, usual.url)),
      await diagramPaint(browser, usual.url),
      ...(await changeToDom(browser, usual)),
      await idle(browser, usual.url, bench.scale),
    ];
    const large = await openFleet(bench, await server.createDatabase(), Math.ceil(LARGE_FLEET / bench.scale));
    return [...listFigures(small, await list(browser, large.url)), ...figures];
  },
};

type Fleet = { url: string; database: Database };

async function openFleet(bench: Bench, databaseUrl: string, resources: number): Promise<Fleet> {
  const database = await openDatabase({ dataDir: null, url: databaseUrl });
  bench.undo(() => database.close());
  bench.say(`  ${resources} resources: filling`);
  await seedEngines(database, resources);
  const web = await startWebProcess(databaseUrl);
  bench.undo(() => web.stop());
  return { url: web.url, database };
}

async function visit(browser: Browser, address: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(address);
  return page;
}

type Listed = { interactiveMs: number; heapMb: number };

/** From the click on a link until a row can be selected, in a fresh profile; and what the page then holds. */
async function list(browser: Browser, url: string): Promise<Listed> {
  const times: number[] = [];
  let heapMb = 0;
  for (let visits = 0; visits < 5; visits++) {
    const page = await visit(browser, `${url}${LIST}`);
    await page.locator(".row input[type=checkbox]").nth(1).check();
    await page.getByRole("region", { name: "Selection" }).waitFor();
    times.push(await page.evaluate(() => performance.now()));
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("HeapProfiler.collectGarbage");
    const { usedSize } = await devtools.send("Runtime.getHeapUsage");
    heapMb = Math.max(heapMb, usedSize / 1e6);
    await page.context().close();
  }
  return { interactiveMs: percentile(times, 0.5), heapMb };
}

function listFigures(small: Listed, large: Listed): Figure[] {
  const detail = {
    msAt10k: round(small.interactiveMs, 0),
    msAt100k: round(large.interactiveMs, 0),
    heapMbAt10k: round(small.heapMb, 1),
    heapMbAt100k: round(large.heapMb, 1),
  };
  return [
    figure("list-interactive", "list of 10,000, until a row can be selected", small.interactiveMs, "ms", 1_000, detail),
    figure("list-interactive-100k", "the same of 100,000", large.interactiveMs, "ms", 1_500, detail),
    figure("list-heap", "heap of the list of 10,000", small.heapMb, "MB", 120, detail),
    figure("list-heap-flat", "heap of 100,000 by that of 10,000", large.heapMb / small.heapMb, "ratio", 1.1, detail),
  ];
}

/** Every script that a page loads before anybody does anything, gzipped. */
async function scripts(browser: Browser, url: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [key, path] of [
    ["overview", "/"],
    ["list", LIST],
    ["machine", "/machines/firebolt.engine.phase"],
  ] as const) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const sizes: Promise<number>[] = [];
    page.on("response", (response) => {
      if (response.request().resourceType() !== "script") return;
      // What comes after the page was left is no part of its first load.
      sizes.push(
        response.body().then(
          (body) => gzipSync(body).length,
          () => 0,
        ),
      );
    });
    await page.goto(`${url}${path}`, { waitUntil: "load" });
    await page.getByRole("navigation", { name: "Pages" }).getByText("live", { exact: true }).waitFor();
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    figures.push(
      figure(`scripts-${key}`, `scripts on first load of ${path}, gzipped`, bytes / 1_024, "KB", 200, {
        files: sizes.length,
      }),
    );
    await context.close();
  }
  return figures;
}

/** From the last byte of the page's data to the first paint with the diagram in it. */
async function diagramPaint(browser: Browser, url: string): Promise<Figure> {
  const times: number[] = [];
  for (let visits = 0; visits < 5; visits++) {
    const page = await visit(browser, `${url}/machines/firebolt.engine.phase`);
    await page.locator(".flow .node, .flow .state").first().waitFor();
    times.push(
      await page.evaluate(() => {
        const [loaded] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
        const [painted] = performance.getEntriesByName("first-contentful-paint");
        return Math.max(0, (painted?.startTime ?? Infinity) - (loaded?.responseEnd ?? 0));
      }),
    );
    await page.context().close();
  }
  return figure("diagram-paint", "data → first paint of a diagram, median", percentile(times, 0.5), "ms", 100, {
    worstMs: round(Math.max(...times), 0),
  });
}

/** 1,000 rows change at once, again and again; from the write of the pass to the words in each row on screen. */
async function changeToDom(browser: Browser, { url, database }: Fleet): Promise<Figure[]> {
  const page = await visit(browser, `${url}${LIST}`);
  await page.getByRole("navigation", { name: "Pages" }).getByText("live", { exact: true }).waitFor();
  await page.evaluate(() => {
    const seen: Record<string, number[]> = {};
    Object.assign(window, { seen });
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const said = /change (\d+)/.exec(target.textContent ?? "")?.[1];
        if (said) (seen[said] ??= []).push(Date.now());
      }
    }).observe(document.querySelector("[role=table]") ?? document.body, {
      subtree: true,
      characterData: true,
      childList: true,
    });
  });
  const times: number[] = [];
  for (let change = 0; change < ROUNDS; change++) {
    await changeRows(database, CHANGING, `change ${change}`);
    const writtenMs = Date.now();
    await page.waitForTimeout(1_200);
    const seen = await page.evaluate(
      (key) => (window as unknown as { seen: Record<string, number[]> }).seen[key] ?? [],
      String(change),
    );
    times.push(...seen.map((at) => at - writtenMs));
  }
  await page.context().close();
  const detail = { rowsSeen: times.length, rounds: ROUNDS, rowsChangedAtOnce: CHANGING };
  return [
    figure("change-dom-p50", "change → words on screen, p50", percentile(times, 0.5), "ms", 100, detail),
    figure("change-dom-p99", "change → words on screen, p99", percentile(times, 0.99), "ms", 300, detail),
  ];
}

/** What a page that nobody touches asks for in a minute, while nothing changes. */
async function idle(browser: Browser, url: string, scale: number): Promise<Figure> {
  const page = await visit(browser, url);
  await page.getByRole("navigation", { name: "Pages" }).getByText("live", { exact: true }).waitFor();
  await page.waitForTimeout(5_000);
  let requests = 0;
  page.on("request", () => requests++);
  const seconds = Math.ceil(60 / scale);
  await page.waitForTimeout(seconds * 1_000);
  await page.context().close();
  return figure("idle", "requests of an idle page per minute", (requests * 60) / seconds, "requests", 2, { seconds });
}

function figure(
  key: string,
  what: string,
  value: number,
  unit: Figure["unit"],
  atMost: number,
  detail: Figure["detail"],
): Figure {
  return {
    key: `dashboard-${key}`,
    what,
    value: round(value, unit === "ratio" ? 3 : 1),
    unit,
    goal: { atMost },
    detail,
  };
}
