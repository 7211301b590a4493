import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContext, Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openDashboard, type Dashboard } from "./dashboard";

let dashboard: Dashboard;
const contexts: BrowserContext[] = [];
const patience = 60_000;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const engine = "/firebolt/engine/shop/analytics";

beforeAll(async () => {
  dashboard = await openDashboard();
  // What the stories are about: an engine that has come up.
  const page = await open("/firebolt/engine");
  await page
    .getByRole("row")
    .filter({ hasText: "analytics" })
    .filter({ hasText: "stable" })
    .waitFor({ timeout: patience });
}, 240_000);

afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
});

afterAll(async () => {
  await dashboard.stop();
});

type Look = { theme?: "light" | "dark"; width?: number };

async function open(path: string, { theme = "light", width = 1440 }: Look = {}): Promise<Page> {
  const context = await dashboard.browser.newContext({ colorScheme: theme, viewport: { width, height: 900 } });
  contexts.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  await page.goto(dashboard.url + path);
  return page;
}

const isLive = (page: Page) =>
  page.getByRole("navigation", { name: "Pages" }).getByText("live", { exact: true }).waitFor({ state: "attached" });

describe("the pages", () => {
  test("the overview says what wants you, draws every lifecycle, and leads from a state to its resources", async () => {
    const page = await open("/");
    await page.getByRole("heading", { level: 1, name: /want|Nothing/ }).waitFor();
    await page
      .getByRole("group", { name: "Engine, phase" })
      .getByRole("link", { name: /^stable/ })
      .click();
    await page.waitForURL(/\/firebolt\/engine\?state=stable/);
    await page.getByRole("row").filter({ hasText: "analytics" }).waitFor();
  });

  test("the list is what its address says, and filters by typing", async () => {
    const page = await open("/all?q=analyt");
    await page.getByRole("link", { name: "analytics", exact: true }).waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("analyt");
    await page.getByRole("searchbox").fill("no such thing");
    await page.getByText("Nothing matches").waitFor();
    expect(page.url()).toContain("q=no+such+thing");
  });

  test("a machine shows its specification, and its bench runs the real rules", async () => {
    const page = await open("/machines/firebolt.engine.phase");
    await page.getByRole("cell", { name: "specDrifted", exact: true }).waitFor();
    await page.getByLabel("podsReady").selectOption("false");
    await page.getByRole("button", { name: "observed" }).click();
    await page.getByText("stays creating").waitFor();
  });

  test("the page about itself says who you are, and how the parts are doing", async () => {
    const page = await open("/about");
    await page.getByRole("cell", { name: /up to date|behind/ }).waitFor();
  });

  test("what does not exist is said to be so", async () => {
    const page = await open("/firebolt/engine/shop/nobody");
    await page.getByRole("alert").first().waitFor();
  });
});

describe("an engine", () => {
  test("can be seen, understood, scaled, watched as it moves, and found in the audit log", async () => {
    const page = await open(engine);
    await isLive(page);
    await page.getByRole("heading", { level: 1, name: /analytics/ }).waitFor();
    const skip = page.getByRole("button", { name: /Skip drain/ });
    expect(await skip.getAttribute("aria-disabled")).toBe("true");

    await page.getByRole("button", { name: /^Scale/ }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByLabel("Pods").fill("2");
    await sheet.getByText(/What will be written/).waitFor();
    await sheet.getByRole("button", { name: "Scale" }).click();
    await sheet.waitFor({ state: "detached" });

    // It leaves stable by itself, comes back, and the page goes with it without a reload.
    const happened = page.getByRole("region", { name: "What happened" });
    await happened.getByText("stable → creating").waitFor();
    await happened.getByText("cleaning → stable").waitFor();
    await page.locator(".state[aria-current]").filter({ hasText: "stable" }).waitFor();
    await page.getByRole("region", { name: "Owned objects" }).getByText("2 of 2 pods ready").waitFor();

    await page.goto(`${dashboard.url}/audit`);
    await page.getByRole("row").filter({ hasText: "analytics" }).filter({ hasText: "accepted" }).first().waitFor();
  });

  test("that waits says for what, in its first lines", async () => {
    const page = await open("/firebolt/engine/shop/ingest");
    await page
      .locator(".say")
      .getByText(/serviceaccount/i)
      .waitFor();
  });

  test("can be looked at as it was, and the link shows the same to somebody else", async () => {
    const page = await open(engine);
    await page
      .getByRole("button", { name: /^Look at creating to switching/ })
      .last()
      .click();
    await page.waitForURL(/\?at=/);
    const other = await open(new URL(page.url()).pathname + new URL(page.url()).search);
    await other.getByText("What was known then").waitFor();
    await other.getByRole("button", { name: "Back to now" }).click();
    await other.getByRole("heading", { name: /^Ways out/ }).waitFor();
  });
});

describe("everybody can use it", () => {
  test("by keyboard alone: palette, list, selection, diagram", async () => {
    const page = await open("/");
    await isLive(page);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /Search/ }).fill("analytics");
    await page
      .getByRole("option", { name: /analytics/ })
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/analytics/);
    await page.locator(".state").first().focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-state"))).toBe("switching");
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.waitForURL(/\/all/);
    await page.getByRole("link", { name: "analytics", exact: true }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByRole("region", { name: "Selection" }).waitFor();
  });

  test("on a phone: nothing is wider than the screen, and the diagram becomes cards", async () => {
    for (const path of ["/", "/all", engine, "/machines/firebolt.engine.phase"]) {
      const page = await open(path, { width: 390 });
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      if (path === engine) await page.locator(".state-card[aria-current]").waitFor();
    }
  });

  test.each(["light", "dark"] as const)("%s: axe finds nothing serious on any page", async (theme) => {
    for (const path of ["/", "/all", engine, "/machines/firebolt.engine.phase", "/audit", "/about"]) {
      const page = await open(path, { theme });
      await isLive(page);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await page.evaluate(axe);
      const found = await page.evaluate(async () => {
        const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: Violation[] }> } };
        const { violations } = await axe.run();
        return violations
          .filter(({ impact }) => impact === "serious" || impact === "critical")
          .map(
            ({ id, nodes }) =>
              `${id}: ${nodes
                .map(({ html }) => html.slice(0, 160))
                .slice(0, 3)
                .join(" | ")}`,
          );
      });
      expect(found, path).toEqual([]);
    }
  });
});

type Violation = { id: string; impact: string; nodes: { html: string }[] };

test("a cut network is said, and after it everything is live again", async () => {
  const page = await open(engine);
  await isLive(page);
  await page.context().setOffline(true);
  const mark = page.getByRole("navigation", { name: "Pages" });
  await mark.getByText(/catching up|stale/).waitFor();
  await page.context().setOffline(false);
  await isLive(page);
});

test("twelve tabs at once are all live", async () => {
  const first = await open("/");
  const pages = await Promise.all(Array.from({ length: 11 }, () => first.context().newPage()));
  for (const page of pages) await page.goto(`${dashboard.url}/about`);
  for (const page of [first, ...pages]) {
    page.setDefaultTimeout(patience);
    await isLive(page);
  }
});
