import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { seriousFindings } from "./axe";
import { isLive, openBrowser } from "./browser";

const { open } = openBrowser(() => inject("url"));
const engine = "/firebolt/engine/shop/analytics";
const pages: Record<string, string> = {
  overview: "/",
  all: "/all",
  list: "/firebolt/engine",
  engine,
  pipeline: "/feldera/pipeline/streams/orders-enrich",
  machines: "/machines",
  machine: "/machines/firebolt.engine.phase",
  audit: "/audit",
  about: "/about",
};
/** For people to look at; made anew by every run. */
const pictures = join(process.cwd(), "screenshots");
mkdirSync(pictures, { recursive: true });

test("by keyboard alone: palette, diagram, its arrows, list, selection, help", async () => {
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
  const focused = (name: string) => page.evaluate((of) => document.activeElement?.getAttribute(of), name);
  await page.locator(".state[data-state=creating]").focus();
  await page.keyboard.press("ArrowRight");
  expect(await focused("data-state")).toBe("switching");
  await page.getByRole("img", { name: /^switching → draining/ }).focus();
  await page.keyboard.press("ArrowRight");
  expect(await focused("data-state")).toBe("draining");
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await page.waitForURL(/\/all/);
  await page.getByRole("link", { name: "analytics", exact: true }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("analyt");
  await page.keyboard.press("Enter");
  await page.getByRole("row").nth(1).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByRole("region", { name: "Selection" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
});

describe.each(Object.entries(pages))("%s", (name, path) => {
  test("axe finds nothing serious, light or dark", async () => {
    const page = await open(path);
    await isLive(page);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await page.locator("[aria-busy]").first().waitFor({ state: "detached" });
    for (const theme of ["light", "dark"]) {
      await page.locator("html").evaluate((html, wanted) => html.setAttribute("data-theme", wanted), theme);
      expect(await seriousFindings(page), `${name}, ${theme}`).toEqual([]);
      await page.screenshot({ path: join(pictures, `${name}-${theme}.png`), fullPage: true });
    }
  });
});

test("on a phone nothing is wider than the screen, and diagrams become cards", async () => {
  const page = await open("/", { width: 390, height: 844 });
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(inject("url") + path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(390);
    if (path === engine) await page.locator(".state-card[aria-current]").waitFor();
    // What is wider than the screen is told by counts; nothing is cut off, nor to be pushed aside.
    const isCut = await page.evaluate(() =>
      [...document.querySelectorAll(".small-cards > .card")].some((card) => card.scrollWidth > card.clientWidth),
    );
    expect(isCut, name).toBe(false);
    await page.screenshot({ path: join(pictures, `${name}-phone.png`), fullPage: true });
  }
});

test("who prefers dark gets dark from the first paint, and who prefers no motion gets none", async () => {
  const page = await open("/", { theme: "dark" });
  expect(await page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor)).toBe("rgb(15, 17, 20)");
  await page.emulateMedia({ reducedMotion: "reduce" });
  const moving = await page.evaluate(
    () => document.getAnimations().filter((one) => one.playState === "running").length,
  );
  expect(moving).toBe(0);
});
