import type { Browser, Page } from "playwright";
import { launchBrowser } from "@/e2e/launch-browser";
import { firebolt } from "@/machines/firebolt/family";
import type { Database } from "@/server/db/database";
import { startPostgres } from "@/server/db/fixtures/postgres-server";
import { openDatabase } from "@/server/db/open-database";
import { apiVersionOf } from "@/server/kubernetes/object";
import type { Bench, BenchGroup, Figure } from "./bench-group";
import { dashboardFigure } from "./dashboard-figure";
import { diagramPaint, LIST, scripts } from "./dashboard-pages";
import { defineKinds } from "./define-kinds";
import { changeRows, seedEngines } from "./engine-rows";
import { percentile, round } from "./sample";
import { startWebProcess } from "./web-process";

const FLEET = 10_000;
const LARGE_FLEET = 100_000;
const ROUNDS = 20;
const CHANGING = 1_000;

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
    const resource = await createOne(bench);
    const small = await list(browser, usual.url);
    const figures = [
      ...(await scripts(browser, usual.url, resource)),
      ...(await diagramPaint(browser, usual.url, resource)),
      ...(await changeToDom(browser, usual)),
    ];
    // Nothing changes in the fleet of the idle page while the other one is made.
    const [idling, large] = await Promise.all([
      idle(browser, usual.url, bench.scale),
      openFleet(bench, await server.createDatabase(), Math.ceil(LARGE_FLEET / bench.scale)),
    ]);
    return [...listFigures(small, await list(browser, large.url)), ...figures, idling];
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

/** A resource that is there, so that its page has everything to show. */
async function createOne(bench: Bench): Promise<string> {
  const { client } = bench;
  await defineKinds(client, Object.values(firebolt.kinds));
  const namespace = await bench.namespace("pages");
  const { api } = firebolt.kinds.engine;
  const spec = { instanceRef: "main", replicas: 1, template: {} };
  const name = "shown";
  await client.create(api, { apiVersion: apiVersionOf(api), kind: api.kind, metadata: { namespace, name }, spec });
  return `/firebolt/engine/${namespace}/${name}`;
}

async function visit(browser: Browser, address: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(address);
  return page;
}

type Listed = { interactiveMs: number; byLinkMs: number; heapMb: number };

/** Until a row can be selected: as a fresh profile's first page, and from the click on a link; and what the page then holds. */
async function list(browser: Browser, url: string): Promise<Listed> {
  const first: number[] = [];
  const byLink: number[] = [];
  const heaps: number[] = [];
  for (let visits = 0; visits < 5; visits++) {
    const page = await visit(browser, `${url}${LIST}`);
    first.push(await selectable(page));
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("HeapProfiler.collectGarbage");
    const { usedSize } = await devtools.send("Runtime.getHeapUsage");
    heaps.push(usedSize / 1e6);
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "About" }).click();
    await page.waitForURL("**/about");
    await page.waitForTimeout(500);
    byLink.push(await afterClick(page));
    await page.context().close();
  }
  return { interactiveMs: percentile(first, 0.5), byLinkMs: percentile(byLink, 0.5), heapMb: percentile(heaps, 0.5) };
}
/** The time of the page at which a click on a row has selected it: it is clicked until it is. */
function selectable(page: Page): Promise<number> {
  return page.evaluate(async () => {
    for (;;) {
      document.querySelectorAll<HTMLInputElement>(".row input[type=checkbox]")[1]?.click();
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (document.querySelector("[aria-label=Selection]")) return performance.now();
    }
  });
}

/** From the click on the link to the list of the page that is open. */
async function afterClick(page: Page): Promise<number> {
  const clickedMs = await page.evaluate((path) => {
    document.querySelector<HTMLAnchorElement>(`nav a[href="${path}"]`)?.click();
    return performance.now();
  }, LIST.split("?")[0]);
  return (await selectable(page)) - clickedMs;
}

function listFigures(small: Listed, large: Listed): Figure[] {
  const detail = {
    msAt10k: round(small.interactiveMs, 0),
    msAt100k: round(large.interactiveMs, 0),
    byLinkMsAt100k: round(large.byLinkMs, 0),
    heapMbAt10k: round(small.heapMb, 1),
    heapMbAt100k: round(large.heapMb, 1),
  };
  return [
    dashboardFigure(
      "list-interactive",
      "list of 10,000 as the first page of all, until a row can be selected",
      small.interactiveMs,
      "ms",
      1_000,
      detail,
    ),
    dashboardFigure("list-by-link", "the same from the click on a link to it", small.byLinkMs, "ms", 1_000, detail),
    dashboardFigure("list-interactive-100k", "the first page of 100,000", large.interactiveMs, "ms", 1_500, detail),
    dashboardFigure("list-heap", "heap of the list of 10,000", small.heapMb, "MB", 120, detail),
    dashboardFigure(
      "list-heap-flat",
      "heap of 100,000 by that of 10,000",
      large.heapMb / small.heapMb,
      "ratio",
      1.1,
      detail,
    ),
  ];
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
    dashboardFigure("change-dom-p50", "change → words on screen, p50", percentile(times, 0.5), "ms", 100, detail),
    dashboardFigure("change-dom-p99", "change → words on screen, p99", percentile(times, 0.99), "ms", 300, detail),
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
  return dashboardFigure("idle", "requests of an idle page per minute", (requests * 60) / seconds, "requests", 2, {
    seconds,
  });
}
